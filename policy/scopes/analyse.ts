import { hash } from 'node:crypto'
import type { OperationFacts } from '../catalog.ts'
import type { Finding, ScopeReport } from '../finding.ts'
import { severityOf } from '../rules/index.ts'
import { type CellInput, createCell } from './cell.ts'
import { operationTable, type Platform } from './context.ts'
import type { Declared } from './declared.ts'
import { type Effort, TooManySteps } from './effort.ts'
import type { FileFacts } from './facts.ts'
import { createImportedTypes, type TypeOutline } from './imported-types.ts'
import type { Targets } from './imports.ts'
import { type Followed, followRounds, type Kept, type Member } from './rounds.ts'
import { findingsOf } from './verdict.ts'

export type { Declared } from './declared.ts'
export type { Followed, Kept } from './rounds.ts'
export type Analysis = { readonly findings: Finding[]; readonly scopes: ScopeReport }

/** Where an import leads: a file of the module, the SDK, or code the scan does not follow. */
export type Resolve = (from: string, specifier: string) => { readonly file: string } | 'sdk' | 'unknown'

/** What is told of every file of a module, whether its values are followed anew or not. */
export type Outline = TypeOutline & Pick<FileFacts, 'specifiers' | 'requiredScopes'>

export type ModuleFile = {
  /** The same at every scan, for files tell each other of their values by it. */
  readonly number: number
  readonly outline: Outline
  readonly facts: () => FileFacts
  /** What its facts were read from, and what came of the file when it began with the same. */
  readonly content: string
  readonly kept: (Kept & { readonly beginning: string }) | undefined
}
export type Module = {
  readonly entry: string
  readonly files: ReadonlyMap<string, ModuleFile>
  /** Files that are no more, and what they came to. */
  readonly gone: ReadonlyMap<number, Kept>
  readonly resolve: Resolve
  /** That following its values may take; undefined: as many as it takes. */
  readonly mostSteps?: number | undefined
}

/** Of each file that was followed, what it began with and what came of it. */
export type ModuleAnalysis = Analysis & { readonly followed: ReadonlyMap<number, Followed & { beginning: string }> }

/** Follows the values of a whole module and says which scopes it can use, and what the scan could not follow. */
export function analyse(
  files: ReadonlyMap<string, FileFacts>,
  entry: string,
  resolve: Resolve,
  operations: readonly OperationFacts[],
  declared: Declared,
  mostSteps?: number,
): Analysis {
  const listed = [...files].map(([file, facts], number): [string, ModuleFile] => [
    file,
    { number, outline: facts, facts: () => facts, content: '', kept: undefined },
  ])
  const module = { entry, files: new Map(listed), gone: new Map(), resolve, mostSteps }
  try {
    const { findings, scopes } = analyseModule(module, operations, declared, false)
    return { findings, scopes }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error
    return unfollowed(error.file, declared)
  }
}

/**
 * The same, with what is kept of the scan before: only the files are followed that an edit reaches. Throws TooManySteps, and
 * then nothing of it is to be kept.
 */
export function analyseModule(
  { entry, files, gone, resolve, mostSteps = Number.POSITIVE_INFINITY }: Module,
  operations: readonly OperationFacts[],
  declared: Declared,
  keeping = true,
): ModuleAnalysis {
  const platform = platformOf(operations, declared)
  const typed = new Map(
    [...files].map(([file, { number, outline }]) => [number, { outline, targets: targetsOf(file, files, resolve) }]),
  )
  const importedTypes = createImportedTypes(typed)
  const effort: Effort = { left: mostSteps, files: [] }
  const beginnings = new Map<number, string>()
  const members = new Map<number, Member>(
    [...gone].map(([number, kept]) => [number, { number, open: undefined, kept, changed: true }]),
  )
  for (const [file, { number, outline, facts, content, kept }] of files) {
    const targets = typed.get(number)?.targets ?? (() => 'unknown')
    const types = importedTypes({ outline, targets })
    const beginning = keeping ? beginningOf(content, outline, targets, types) : ''
    beginnings.set(number, beginning)
    const open = () => createCell({ number, file, facts: facts(), targets, types, platform, entry, effort })
    members.set(number, { number, open, kept, changed: kept?.beginning !== beginning })
  }
  const followed = new Map(
    [...followRounds(members, keeping, effort)].map(([number, one]) => [
      number,
      { ...one, beginning: beginnings.get(number) ?? '' },
    ]),
  )
  const results = [...files].flatMap(([file, { number, outline, kept }]) => {
    const result = followed.get(number)?.result ?? kept?.result
    return result ? [{ file, outline, result }] : []
  })
  return { ...findingsOf(results, platform, declared), followed }
}

/** No word on scopes: an error stands in its place. */
function unfollowed(file: string, { scopes }: Declared): Analysis {
  const finding: Finding = {
    rule: 'file-timeout',
    severity: severityOf('file-timeout'),
    file,
    line: 1,
    column: 1,
    message: 'What becomes of the values of this module takes too many steps to follow, most of them in this file.',
    fix: 'Write it in smaller, plainer parts.',
  }
  return {
    findings: [finding],
    scopes: { used: [], declared: scopes.map(({ key }) => key), unused: [], undeclared: [] },
  }
}

/** All that a file begins with, beside what is the same for all of them. */
function beginningOf(content: string, { specifiers }: Outline, targets: Targets, types: CellInput['types']): string {
  return hash('sha256', JSON.stringify([content, specifiers.map(([name]) => targets(name)), types]), 'base64url')
}

function platformOf(operations: readonly OperationFacts[], declared: Declared): Platform {
  return {
    ...operationTable(operations),
    slug: declared.slug,
    notificationKeys: new Set(declared.notifications.map((entry) => entry.key)),
    egress: new Set(declared.egress),
    widgets: new Set(declared.widgets.map((widget) => widget.component)),
  }
}

/** Imports of one file by their text, each looked up once; one of a file without facts leads to what cannot be followed. */
function targetsOf(from: string, files: Module['files'], resolve: Resolve): Targets {
  const known = new Map<string, ReturnType<Targets>>()
  return (specifier) => {
    const before = known.get(specifier)
    if (before !== undefined) return before
    const target = resolve(from, specifier)
    const found = typeof target === 'object' ? (files.get(target.file)?.number ?? 'unknown') : target
    known.set(specifier, found)
    return found
  }
}
