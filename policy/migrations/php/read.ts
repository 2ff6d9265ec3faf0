/**
 * Laravel migrations, read and never run. A file is translated whole or refused with the line and the construct: a
 * migration whose meaning needs PHP to run cannot be checked before it does.
 */
import { createRequire } from 'node:module'
import type { MigrationFinding } from '../finding.ts'
import type { ModuleSchema, MutableSchema } from '../module-schema.ts'
import { copySchema } from '../module-schema.ts'
import type { MigrationSource, SourceStatement } from '../source.ts'
import type { Swallowed } from './blueprint.ts'
import type { MigrationClass } from './migration-class.ts'
import { findMigration } from './migration-class.ts'
import type { PhpNode } from './nodes.ts'
import { isNode, PhpRefused } from './nodes.ts'
import { readBody } from './statements.ts'

type PhpEngine = { parseCode(code: string, file: string): unknown }
type PhpParser = { Engine: new (options: object) => PhpEngine }

/** The package is CommonJS with typings that do not match what it exports. Most modules have no such file: loaded at need. */
const phpParser = () => createRequire(import.meta.url)('php-parser') as PhpParser

/**
 * `schema` is what earlier migrations made; without it `if (Schema::hasTable(…))` is refused. It is left as it was.
 * The SQL parser must be loaded (`loadGuard`).
 */
export function readPhpMigration(text: string, file: string, schema?: ModuleSchema): MigrationSource {
  const findings: MigrationFinding[] = []
  try {
    const found = findMigration(parse(text, file))
    const state = schema && copySchema(schema)
    const up = readMethod(found, found.up, state, (line, call, mend) => {
      const reason = `${call} does nothing in Laravel`
      findings.push({ rule: 'php-without-effect', severity: 'warning', file, line, reason, mend })
    })
    const down = readDown(found, state, file, findings)
    return { up, ...(down && { down }), findings }
  } catch (error) {
    return { up: [], findings: [...findings, refusal(error, file)] }
  }
}

function parse(text: string, file: string): PhpNode {
  const { Engine } = phpParser()
  const engine = new Engine({ parser: { php7: true, extractDoc: false, version: '8.4' }, ast: { withPositions: true } })
  const program = engine.parseCode(text, file)
  if (!isNode(program)) throw new SyntaxError('no PHP')
  return program
}

function readMethod(
  found: MigrationClass,
  method: PhpNode,
  schema: MutableSchema | undefined,
  swallowed: Swallowed,
): SourceStatement[] {
  const { constants, properties, name } = found
  const scope = { constants, properties, variables: new Map(), className: name }
  return readBody(method, { scope, schema, swallowed })
}

/** `down` is read for the reverse plan only, so one that cannot be read is no reason to refuse the file. */
function readDown(
  found: MigrationClass,
  schema: MutableSchema | undefined,
  file: string,
  findings: MigrationFinding[],
): SourceStatement[] | undefined {
  if (!found.down) return undefined
  try {
    return readMethod(found, found.down, schema, () => {})
  } catch (error) {
    if (!(error instanceof PhpRefused)) throw error
    const reason = `down() is left out of the reverse plan: ${error.message}`
    findings.push({ rule: 'php-down', severity: 'warning', file, line: error.line, reason })
    return undefined
  }
}

function refusal(error: unknown, file: string): MigrationFinding {
  if (error instanceof PhpRefused) {
    const mend = 'write literal Schema calls or DB::statement, or a .sql migration'
    return {
      rule: 'php-construct',
      severity: 'error',
      file,
      line: error.line,
      reason: `cannot read ${error.message}`,
      mend,
    }
  }
  if (error instanceof RangeError) {
    return { rule: 'php-syntax', severity: 'error', file, line: 1, reason: 'nested too deeply' }
  }
  const line = (error as { lineNumber?: number }).lineNumber ?? 1
  const message = error instanceof Error ? error.message : String(error)
  return { rule: 'php-syntax', severity: 'error', file, line, reason: message.slice(0, 200) }
}
