import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { Finding } from '../finding.ts'
import { isBuiltin } from '../rules/node-builtin.ts'
import { lineAndColumn } from '../scopes/facts.ts'
import type { FileAnalysis } from './analyse-file.ts'
import type { BundleFiles } from './bundle.ts'
import { cacheKey } from './cache.ts'
import { finding, isCode, isFinding, isPackaged, readSource, textOf } from './files.ts'
import type { ScanLimits } from './limits.ts'
import { type Memory, outlineOf, type Seen } from './memory.ts'
import type { Pool } from './pool.ts'
import { isRelative, resolveRelative } from './resolve.ts'
import type { Job } from './worker.ts'

/** Reads and analyses files once each, whoever asks for them: the listing, an import, or the bundle. */
export type Reader = {
  /** Files whose verdict is in the cache are known as soon as this is called; the others once it is fulfilled. */
  readAll(names: readonly string[], bundle?: BundleFiles): Promise<void>
  /** Reads what the known files import, as far as it was not listed. */
  readImported(): Promise<void>
  /** Refuses an import that leads nowhere, or the bundle to another file than the scan. */
  checkImports(bundle: BundleFiles | undefined): void
  importsPackages(): boolean
  has(file: string): boolean
  seen(): ReadonlyMap<string, Seen>
  findings(): Finding[]
  count(): number
}

export function createReader(dir: string, limits: ScanLimits, pool: Pool, memory: Memory | undefined): Reader {
  const seen = new Set<string>()
  const analyses = new Map<string, Seen>()
  const refused: Finding[] = []
  const plain = new Map<string, boolean>()
  const onDisk = (file: string) => {
    if (analyses.has(file)) return true
    const known = plain.get(file) ?? (!file.startsWith('..') && isPlainFile(path.join(dir, file)))
    plain.set(file, known)
    return known
  }
  const imports = new Map<string, Import[]>()
  const importsOf = ([file, { outline }]: readonly [string, Seen]): Import[] => {
    const known =
      imports.get(file) ?? (outline?.specifiers ?? []).map(([specifier, at]) => importOf(file, specifier, at, onDisk))
    imports.set(file, known)
    return known
  }
  const allImports = () => [...analyses].flatMap(importsOf)

  const reader: Reader = {
    async readAll(names, bundle) {
      const jobs: Job[] = []
      const keys = new Map<Job, string>()
      for (const name of names) {
        if (seen.has(name)) continue
        seen.add(name)
        const source = readSource(dir, name, limits)
        if (isFinding(source)) {
          refused.push(source)
          continue
        }
        const { file, kind } = source
        const replaced = bundle?.replaced(file) ?? []
        const key = memory ? cacheKey(kind, file, source.bytes, ...replaced) : ''
        const known = memory?.seen(file, key)
        if (known) analyses.set(file, known)
        else {
          const job = { file, kind, text: textOf(source), replaced }
          jobs.push(job)
          keys.set(job, key)
        }
      }
      for (const result of await pool.run(jobs)) {
        if ('failure' in result) refused.push(failure(result.job.file, result.why))
        else analyses.set(result.job.file, seenNow(result.analysis, keys.get(result.job) ?? ''))
      }
    },
    async readImported() {
      // Tests and hidden folders are not listed, but what the bundle imports from them is read all the same.
      const reading: Promise<void>[] = []
      for (let more = wanted(); more.length > 0; more = wanted()) reading.push(reader.readAll(more))
      await Promise.all(reading)
      if (wanted().length > 0) await reader.readImported()
    },
    checkImports(bundle) {
      for (const { file, specifier, at, leaves, target } of allImports()) {
        const bundled = bundle?.leads(file, specifier) ?? target
        if (leaves || (target !== undefined && bundled === target)) continue
        const { line, column } = lineAndColumn(at)
        const where = target === undefined ? 'no file of this module' : `\`${bundled}\` in the bundle`
        const mend = target === undefined ? 'Correct the path.' : 'Name the file itself, with its ending.'
        const message = `\`${specifier}\` leads to ${where}.`
        refused.push({ ...finding('import-unresolved', file, line, message, mend), column })
      }
    },
    importsPackages: () =>
      allImports().some(
        ({ specifier, target }) =>
          (target !== undefined && isPackaged(target)) ||
          !(isRelative(specifier) || specifier.startsWith('@partner/sdk') || isBuiltin(specifier)),
      ),
    has: (file) => analyses.has(file),
    seen: () => analyses,
    findings: () => [...refused, ...[...analyses.values()].flatMap((analysis) => analysis.findings)],
    count: () => seen.size,
  }

  function wanted(): string[] {
    const targets = allImports().flatMap(({ target }) => target ?? [])
    return [...new Set(targets)].filter((file) => !seen.has(file) && isCode(file))
  }
  return reader
}

/** An import as it stands in a file: whether it leaves the module's folder, and otherwise where it leads. */
type Import = {
  readonly file: string
  readonly specifier: string
  readonly at: number
  readonly leaves: boolean
  readonly target: string | undefined
}

function importOf(file: string, specifier: string, at: number, exists: (file: string) => boolean): Import {
  const relative = isRelative(specifier)
  const target = relative ? resolveRelative(file, specifier, exists) : undefined
  return { file, specifier, at, leaves: !relative || leavesFolder(file, specifier), target }
}

function seenNow({ findings, facts }: FileAnalysis, content: string): Seen {
  const known = () => {
    if (!facts) throw new Error('this file has no facts')
    return facts
  }
  return { content, findings, outline: facts && outlineOf(facts), facts: known }
}

/** Mobile screens: their links, and the scripts inside them by the same rules as those in files. */
export async function checkMobilePages(
  dir: string,
  names: readonly string[],
  limits: ScanLimits,
  pool: Pool,
): Promise<Finding[]> {
  const pages = names.filter((name) => name.startsWith('mobile/') && /\.(html?|svg)$/i.test(name))
  if (pages.length === 0) return []
  // Few modules have any, and a parser of HTML takes time to load.
  const { readMobilePage } = await import('./mobile-html.ts')
  const sources = pages.map((name) => readSource(dir, name, limits))
  const read = sources.flatMap((source) => (isFinding(source) ? [] : [readMobilePage(source.file, textOf(source))]))
  const results = await pool.run(read.flatMap(({ scripts }) => scripts))
  return [
    ...sources.filter(isFinding),
    ...read.flatMap(({ findings }) => findings),
    ...results.flatMap((result) =>
      'failure' in result ? [failure(result.job.file, result.why)] : result.analysis.findings,
    ),
  ]
}

function leavesFolder(file: string, specifier: string): boolean {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).startsWith('..')
}

function isPlainFile(file: string): boolean {
  try {
    return lstatSync(file).isFile()
  } catch {
    return false
  }
}

function failure(file: string, why: string): Finding {
  return finding('file-timeout', file, 1, why, 'Write it in smaller, plainer parts.')
}
