import type { Finding, ScopeReport } from '../finding.ts'
import { severityOf } from '../rules/index.ts'
import { operationTable, publishScope, type Platform, services } from './context.ts'
import type { OperationFacts } from '../catalog.ts'
import { escapeNode } from './escapes.ts'
import { type FileFacts, lineAndColumn, op } from './facts.ts'
import { type Linked, place, wire } from './link.ts'
import {
  add,
  anyField,
  capability,
  createSolver,
  type Exports,
  flow,
  freshNode,
  nextInstruction,
  type Problem,
  solve,
  type Solver,
  unknown,
  type Value,
} from './solver.ts'
import { checkWidgets } from './widgets.ts'

/** What the manifest says that the code must agree with. */
export type Declared = {
  readonly slug: string
  readonly scopes: readonly { readonly key: string; readonly line: number }[]
  readonly notifications: readonly { readonly key: string; readonly line: number }[]
  readonly egress: readonly string[]
  readonly widgets: readonly { readonly component: string; readonly line: number }[]
}
/** Where an import leads: a file of the module, the SDK, or code the scan does not follow. */
export type Resolve = (from: string, specifier: string) => { readonly file: string } | 'sdk' | 'unknown'
export type Analysis = { readonly findings: Finding[]; readonly scopes: ScopeReport }

const manifest = 'manifest.json'

/** Follows the values of a whole module and says which scopes it can use, and what the scan could not follow. */
export function analyse(
  files: ReadonlyMap<string, FileFacts>,
  entry: string,
  resolve: Resolve,
  operations: readonly OperationFacts[],
  declared: Declared,
): Analysis {
  const platform: Platform = {
    ...operationTable(operations),
    slug: declared.slug,
    notificationKeys: new Set(declared.notifications.map((entry) => entry.key)),
    egress: new Set(declared.egress),
    widgets: new Set(declared.widgets.map((widget) => widget.component)),
  }
  const solver = createSolver()
  const linked = new Map([...files].map(([file, facts]) => [file, place(solver, file, facts)]))
  wire(solver, platform, [...linked.values()])
  for (const one of linked.values()) wireImports(solver, one, linked, resolve)
  wireEntry(solver, platform, linked, entry, resolve)
  solve(solver)
  assumeServices(solver, linked)
  solve(solver)
  for (const check of solver.atRest.splice(0)) check()
  solve(solver)
  checkWidgets(solver, declared.widgets, entry)
  const scopes = scopeReport(solver, platform, declared)
  const problems = [...solver.problems.values()].map(toFinding)
  const required = [...files].flatMap(([file, facts]) => requiredFindings(file, facts, declared))
  const found = [...problems, ...scopeFindings(scopes, declared), ...required, ...unusedKeys(solver, declared)]
  return { findings: found, scopes }
}

function wireImports(solver: Solver, from: Linked, linked: ReadonlyMap<string, Linked>, resolve: Resolve): void {
  for (const { specifier, name, node } of from.facts.imports) {
    const target = resolve(from.file, specifier)
    const local = from.node(node)
    if (target === 'sdk') add(solver, local, capability(solver, name === '*' ? 'sdk' : `sdk.${name}`))
    else if (target === 'unknown' || !linked.has(target.file)) add(solver, local, unknown)
    else if (name === '*') add(solver, local, namespace(solver, linked, target.file, resolve))
    else for (const exported of exportNodes(solver, linked, target.file, name, resolve)) flow(solver, exported, local)
  }
}

/** The nodes a file exports under a name, re-exports followed; `anyField` asks for all of them. */
function exportNodes(
  solver: Solver,
  linked: ReadonlyMap<string, Linked>,
  file: string,
  name: string,
  resolve: Resolve,
  visited = new Set<string>(),
): number[] {
  const source = linked.get(file)
  if (!source || visited.has(`${file} ${name}`)) return []
  visited.add(`${file} ${name}`)
  const found = source.facts.exports
    .filter((entry) => name === anyField || entry.name === name)
    .map((entry) => source.node(entry.node))
  for (const { specifier, name: inner, as } of source.facts.reexports) {
    const all = as === '*'
    if (!all && name !== anyField && as !== name) continue
    const target = resolve(file, specifier)
    const wanted = all ? name : inner
    if (target === 'sdk') found.push(holding(solver, capability(solver, wanted === '*' ? 'sdk' : `sdk.${wanted}`)))
    else if (target === 'unknown') found.push(holding(solver, unknown))
    else if (!all && inner === '*') found.push(holding(solver, namespace(solver, linked, target.file, resolve)))
    else found.push(...exportNodes(solver, linked, target.file, wanted, resolve, visited))
  }
  return found
}

function holding(solver: Solver, value: Value): number {
  const node = freshNode(solver)
  add(solver, node, value)
  return node
}

const namespaces = new WeakMap<Solver, Map<string, Value>>()

function namespace(solver: Solver, linked: ReadonlyMap<string, Linked>, file: string, resolve: Resolve): Value {
  const known = namespaces.get(solver) ?? new Map<string, Value>()
  namespaces.set(solver, known)
  const exports: Exports = (name) => exportNodes(solver, linked, file, name, resolve)
  const value = known.get(file) ?? { kind: 'namespace', exports }
  known.set(file, value)
  return value
}

function wireEntry(
  solver: Solver,
  platform: Platform,
  linked: ReadonlyMap<string, Linked>,
  entry: string,
  resolve: Resolve,
): void {
  for (const node of exportNodes(solver, linked, entry, 'default', resolve)) {
    escapeNode(solver, platform, node, {
      to: 'handler',
      place: { file: entry, at: 0 },
      why: 'the entry file exports it',
    })
  }
}

/**
 * Code nothing was seen to call may still be called. A `services` taken out of a value nobody gave is taken for the real
 * one, so that the scan reports too much there rather than too little.
 */
function assumeServices(solver: Solver, linked: ReadonlyMap<string, Linked>): void {
  for (const { facts, node } of linked.values()) {
    const { code } = facts
    for (let start = 0; start < code.length; start = nextInstruction(code, start)) {
      if (code[start] !== op.load || facts.names[code[start + 2] ?? -1] !== 'services') continue
      if (solver.values[node(code[start + 1] ?? 0)] === undefined)
        add(solver, node(code[start + 3] ?? 0), capability(solver, services))
    }
  }
}

function scopeReport(solver: Solver, platform: Platform, declared: Declared): ScopeReport {
  const uses = new Map<string, { operation: string; file: string; line: number }[]>()
  for (const { operation, place } of solver.uses) {
    const scope = operation === publishScope ? publishScope : platform.operations.get(operation)
    if (!scope) continue
    const known = uses.get(scope) ?? []
    uses.set(scope, known)
    const { line } = lineAndColumn(place.at)
    if (!known.some((use) => use.file === place.file && use.line === line && use.operation === operation))
      known.push({ operation, file: place.file, line })
  }
  const used = [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([scope, found]) => ({ scope, uses: found }))
  const keys = declared.scopes.map((scope) => scope.key)
  return {
    used,
    declared: keys,
    unused: keys.filter((key) => !uses.has(key)),
    undeclared: used.map((use) => use.scope).filter((scope) => !keys.includes(scope)),
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

/** A tool that requires a scope the manifest does not request could never be called. */
function requiredFindings(file: string, facts: FileFacts, declared: Declared): Finding[] {
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

function unusedKeys(solver: Solver, declared: Declared): Finding[] {
  const unused = declared.notifications.filter((entry) => !solver.notified.has(entry.key))
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
