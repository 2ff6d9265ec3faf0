import type { Finding, ScopeReport } from '../finding.ts'
import { severityOf } from '../rules/index.ts'
import type { CellResult } from './cell.ts'
import { publishScope, type Platform } from './context.ts'
import type { Declared } from './declared.ts'
import { type FileFacts, lineAndColumn } from './facts.ts'
import type { Problem, Use } from './solver.ts'
import { missingWidgets } from './widgets.ts'

const manifest = 'manifest.json'

type FileResult = {
  readonly file: string
  readonly outline: Pick<FileFacts, 'requiredScopes'>
  readonly result: CellResult
}

/** What all files of a module come to, together with its manifest. */
export function findingsOf(
  results: readonly FileResult[],
  platform: Platform,
  declared: Declared,
): { findings: Finding[]; scopes: ScopeReport } {
  const all = results.map(({ result }) => result)
  const uses = all.flatMap((result) => result.uses)
  const scopes = scopeReport(uses, platform, declared)
  const widgets = new Set(all.flatMap((result) => result.widgets))
  const problems = all.flatMap((result) => result.problems)
  const missing = all.some((result) => result.definesModule) ? missingWidgets(declared.widgets, widgets) : []
  const required = results.flatMap(({ file, outline }) => requiredFindings(file, outline, declared))
  const notified = new Set(all.flatMap((result) => result.notified))
  const found = [...problems, ...missing].map(toFinding)
  return {
    findings: [...found, ...scopeFindings(scopes, declared), ...required, ...unusedKeys(notified, declared)],
    scopes,
  }
}

function scopeReport(used: readonly Use[], platform: Platform, declared: Declared): ScopeReport {
  const uses = new Map<string, Map<string, SourceUse>>()
  for (const { operation, place } of used) {
    const scope = operation === publishScope ? publishScope : platform.operations.get(operation)
    if (!scope) continue
    const known = uses.get(scope) ?? new Map<string, SourceUse>()
    uses.set(scope, known)
    const { line } = lineAndColumn(place.at)
    known.set(`${place.file} ${line} ${operation}`, { operation, file: place.file, line })
  }
  const sorted = [...uses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([scope, found]) => ({ scope, uses: [...found.values()].sort(inOrder) }))
  const keys = declared.scopes.map((scope) => scope.key)
  return {
    used: sorted,
    declared: keys,
    unused: keys.filter((key) => !uses.has(key)),
    undeclared: sorted.map((use) => use.scope).filter((scope) => !keys.includes(scope)),
  }
}

function scopeFindings(scopes: ScopeReport, declared: Declared): Finding[] {
  const undeclared = scopes.used.filter((use) => scopes.undeclared.includes(use.scope))
  const missing = undeclared.flatMap(({ scope, uses }) =>
    uses.map(
      (use): Finding => ({
        rule: 'scope-undeclared',
        severity: severityOf('scope-undeclared'),
        file: use.file,
        line: use.line,
        column: 1,
        message: `\`services.${use.operation}\` needs the scope \`${scope}\`, which the manifest does not request.`,
        fix: `Add {"key": "${scope}", "required": true, "reason": "…"} to \`scopes\` in manifest.json; every school that has the app must then consent to it.`,
      }),
    ),
  )
  const unused = declared.scopes.filter((scope) => scopes.unused.includes(scope.key))
  const surplus = unused.map(
    (scope): Finding => ({
      rule: 'scope-unused',
      severity: severityOf('scope-unused'),
      file: manifest,
      line: scope.line,
      column: 1,
      message: `The manifest requests \`${scope.key}\`, and nothing in the module uses it.`,
      fix: `Remove {"key": "${scope.key}", …} from \`scopes\` in manifest.json: a school trusts an app more that asks for less.`,
    }),
  )
  return [...missing, ...surplus]
}

type SourceUse = { readonly operation: string; readonly file: string; readonly line: number }

function inOrder(a: SourceUse, b: SourceUse): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || (a.operation < b.operation ? -1 : 1)
}

/** A tool that requires a scope the manifest does not request could never be called. */
function requiredFindings(file: string, facts: Pick<FileFacts, 'requiredScopes'>, declared: Declared): Finding[] {
  const missing = facts.requiredScopes.filter(([scope]) => !declared.scopes.some(({ key }) => key === scope))
  return missing.map(([scope, at]) => ({
    rule: 'scope-undeclared',
    severity: severityOf('scope-undeclared'),
    file,
    ...lineAndColumn(at),
    message: `The tool requires the scope \`${scope}\`, which the manifest does not request.`,
    fix: `Add {"key": "${scope}", "required": true, "reason": "…"} to \`scopes\` in manifest.json.`,
  }))
}

function unusedKeys(notified: ReadonlySet<string>, declared: Declared): Finding[] {
  const unused = declared.notifications.filter((entry) => !notified.has(entry.key))
  return unused.map((entry) => ({
    rule: 'notification-key-unused',
    severity: severityOf('notification-key-unused'),
    file: manifest,
    line: entry.line,
    column: 1,
    message: `Nothing in the module sends the notification \`${entry.key}\`.`,
    fix: 'Send it, or set `is_active` to false.',
  }))
}

function toFinding({ rule, place, message, fix }: Problem): Finding {
  return { rule, severity: severityOf(rule), file: place.file, ...lineAndColumn(place.at), message, fix }
}
