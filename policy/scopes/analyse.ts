import type { OperationFacts } from '../catalog.ts'
import type { Finding, ScopeReport } from '../finding.ts'
import { operationTable, type Platform } from './context.ts'
import type { Declared } from './declared.ts'
import { escapeNode } from './escapes.ts'
import { reportClaims } from './exits.ts'
import type { FileFacts } from './facts.ts'
import {
  addFile,
  completeFiles,
  createImports,
  exportNodes,
  type Imports,
  type Resolve,
  wireImports,
} from './imports.ts'
import { addImportedTypes } from './imported-types.ts'
import { assumeServices, checkAllAnswered, createProgram, place, wire } from './link.ts'
import { createSolver, solve } from './solver.ts'
import { requiredFindings, scopeFindings, scopeReport, toFinding, unusedKeys } from './verdict.ts'
import { checkWidgets } from './widgets.ts'

export type { Declared } from './declared.ts'
export type { Resolve } from './imports.ts'
export type Analysis = { readonly findings: Finding[]; readonly scopes: ScopeReport }

/** Follows the values of a whole module and says which scopes it can use, and what the scan could not follow. */
export function analyse(
  files: ReadonlyMap<string, FileFacts>,
  entry: string,
  resolve: Resolve,
  operations: readonly OperationFacts[],
  declared: Declared,
): Analysis {
  const following = startFollowing(entry, resolve, operations, declared)
  return following.finish(files)
}

/**
 * A module some of whose files are still being read. Values only ever get more, and where they end does not depend on the
 * order in which they flow, so what `follow` has done with the first files is no other verdict, only an earlier one.
 * `resolve` must lead to files that are still to come as it does to the others.
 */
export type Following = {
  follow(files: ReadonlyMap<string, FileFacts>): void
  /** With the files that were still missing. */
  finish(files: ReadonlyMap<string, FileFacts>): Analysis
}

export function startFollowing(
  entry: string,
  resolve: Resolve,
  operations: readonly OperationFacts[],
  declared: Declared,
): Following {
  const platform: Platform = {
    ...operationTable(operations),
    slug: declared.slug,
    notificationKeys: new Set(declared.notifications.map((entry) => entry.key)),
    egress: new Set(declared.egress),
    widgets: new Set(declared.widgets.map((widget) => widget.component)),
  }
  const solver = createSolver()
  const program = createProgram(solver, platform)
  const imports = createImports(solver, resolve)
  const placeAll = (files: ReadonlyMap<string, FileFacts>) => {
    const placed = [...files].map(([file, facts]) => place(solver, file, facts))
    wire(solver, platform, program, placed)
    for (const one of placed) addFile(imports, one)
  }
  return {
    follow(files) {
      placeAll(files)
      const complete = completeFiles(imports)
      wireImports(imports, (file) => complete.has(file))
      solve(solver)
    },
    finish(files) {
      placeAll(files)
      wireImports(imports, () => true)
      wireEntry(imports, entry)
      addImportedTypes(imports)
      solve(solver)
      assumeServices(solver, program)
      solve(solver)
      for (const check of solver.atRest.splice(0)) check()
      checkAllAnswered(solver, program)
      solve(solver)
      reportClaims(solver)
      checkWidgets(solver, declared.widgets, entry)
      const scopes = scopeReport(solver, platform, declared)
      const problems = [...solver.problems.values()].map(toFinding)
      const required = [...imports.linked].flatMap(([file, { facts }]) => requiredFindings(file, facts, declared))
      const found = [...problems, ...scopeFindings(scopes, declared), ...required, ...unusedKeys(solver, declared)]
      return { findings: found, scopes }
    },
  }
}

/** What the entry file exports is handed to the platform. */
function wireEntry(imports: Imports, entry: string): void {
  const exit = { to: 'handler' as const, place: { file: entry, at: 0 }, why: 'the entry file exports it' }
  for (const node of exportNodes(imports, entry, 'default')) escapeNode(imports.solver, node, exit)
}
