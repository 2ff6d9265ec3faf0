/**
 * The SQL guard: PostgreSQL's own grammar and an allow-list of everything a statement may be made of. It reads text and
 * touches no database. It is one of two walls; the other is the module role's missing rights.
 */
import { unwrap } from './ast.ts'
import type { GuardContext, Profile, StatementTag } from './guard-context.ts'
import type { LineIndex } from './lines.ts'
import { createLineIndex, leadingBlank } from './lines.ts'
import { statementMends } from './mends.ts'
import { dataStatements, definitionStatements, runtimeStatements } from './node-lists.ts'
import { loadParser, parseSql } from './parse.ts'
import type { RawStatement } from './parse.ts'
import { Refused, refuse } from './refused.ts'
import type { AllowedStatement, GuardResult, Refusal } from './result.ts'
import { refusedWhole } from './result.ts'
import { walkStatement } from './walk.ts'

export type { Profile, StatementTag } from './guard-context.ts'
export type { AllowedStatement, GuardResult, Refusal } from './result.ts'

export type GuardOptions = {
  readonly profile: Profile
  /** The module's own schema as its texts name it, `m_<slug>`: also where they run in the sandbox's `s_<slug>`. */
  readonly schema: string
  /** Default by profile: longer texts could exhaust the parser's stack. */
  readonly maxBytes?: number
}

/** In bytes: a whole migration file, and one statement of a module that runs. */
const largestText: Record<Profile, number> = { migration: 262_144, runtime: 65_536 }
export const maxMigrationStatements = 500

/** Must be awaited once in each thread before `checkSql`. */
export async function loadGuard(): Promise<void> {
  await loadParser()
}

/** Judges a text, statement by statement. Never throws for what the text says. */
export function checkSql(text: string, options: GuardOptions): GuardResult {
  const unfit = unfitText(text, options.maxBytes ?? largestText[options.profile])
  if (unfit) return unfit
  const parsed = parseSql(text)
  const lines = createLineIndex(text)
  if (!parsed.ok) {
    const rule = parsed.kind === 'syntax' ? 'syntax' : 'parser_crash'
    return refusedWhole(rule, parsed.message, lines.lineAt(Math.max(0, parsed.position - 1)))
  }
  const limit = options.profile === 'runtime' ? 1 : maxMigrationStatements
  if (parsed.statements.length === 0) return refusedWhole('empty', 'no statement')
  if (parsed.statements.length > limit) {
    return refusedWhole('multi', `${parsed.statements.length} statements where ${limit} may stand`)
  }
  return judge(parsed.statements, lines, options)
}

function unfitText(text: string, maxBytes: number): GuardResult | undefined {
  if (typeof text !== 'string') return refusedWhole('input', 'not a text')
  // The parser ends at NUL without a word, the server does not.
  const nul = text.indexOf('\0')
  if (nul !== -1) return refusedWhole('nul', 'a NUL byte', text.slice(0, nul).split('\n').length)
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    return refusedWhole('size', `a text of more than ${maxBytes} bytes`)
  }
  if (!text.isWellFormed()) return refusedWhole('utf16', 'half a character (lone surrogate)')
  return undefined
}

function judge(raws: readonly RawStatement[], lines: LineIndex, options: GuardOptions): GuardResult {
  const statements: AllowedStatement[] = []
  const refusals: Refusal[] = []
  for (const [index, raw] of raws.entries()) {
    const end = raw.length === undefined ? undefined : raw.location + raw.length
    const whole = lines.slice(raw.location, end)
    const start = raw.location + leadingBlank(whole)
    try {
      statements.push({
        index,
        line: lines.lineAt(start),
        ...allow(raw, options),
        text: lines.slice(start, end).trimEnd(),
      })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const { rule, reason, location, mend } = error
      refusals.push({ index, line: lines.lineAt(location ?? start), rule, reason, ...(mend ? { mend } : {}) })
    }
  }
  const [refusal] = refusals
  return refusal ? { ok: false, refusal, refusals, statements } : { ok: true, statements }
}

function allow(raw: RawStatement, options: GuardOptions): Pick<AllowedStatement, 'top' | 'class' | 'tags'> {
  const [top, fields] = unwrap(raw.stmt) ?? refuse('node', 'a statement of an unknown form')
  const isData = options.profile === 'runtime' || dataStatements.has(top)
  statementAllowed(top, isData, options.profile)
  const tags = new Set<StatementTag>()
  const context: GuardContext = { schema: options.schema, profile: options.profile, isData, tags }
  walkStatement(top, fields, context)
  if (top === 'SelectStmt' || fields.returningClause) tags.add('rows')
  return { top, class: isData ? 'data' : 'ddl', tags: [...tags] }
}

function statementAllowed(top: string, isData: boolean, profile: Profile): void {
  const { what, mend } = statementMends[top] ?? { what: top.replace(/Stmt$/, ''), mend: undefined }
  if (profile === 'runtime') {
    const inMigration = definitionStatements.has(top) ? 'write it in a migration' : mend
    if (!runtimeStatements.has(top)) refuse('statement', `${what} is not allowed at run time`, undefined, inMigration)
    return
  }
  if (top === 'SelectStmt') refuse('statement', 'SELECT does nothing in a migration', undefined, 'leave it out')
  if (!isData && !definitionStatements.has(top))
    refuse('statement', `${what} is not allowed in a migration`, undefined, mend)
}
