import { existsSync, lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Finding } from '../finding.ts'
import { isBuiltin } from '../rules/node-builtin.ts'
import { type FileFacts, lineAndColumn } from '../scopes/facts.ts'
import type { FileAnalysis } from './analyse-file.ts'
import type { Cache } from './cache.ts'
import { finding, isFinding, readSource } from './files.ts'
import type { ScanLimits } from './limits.ts'
import { checkMobileHtml } from './mobile-html.ts'
import type { Pool } from './pool.ts'
import { isRelative, resolveRelative } from './resolve.ts'

/** Reads and analyses files once each, whoever asks for them: the listing, an import, or the bundle. */
export type Reader = {
  readAll(names: readonly string[]): Promise<void>
  followImports(): Promise<void>
  importsPackages(): boolean
  has(file: string): boolean
  facts(): Map<string, FileFacts>
  findings(): Finding[]
  count(): number
}

export function createReader(dir: string, limits: ScanLimits, pool: Pool, cache: Cache | undefined): Reader {
  const seen = new Set<string>()
  const analyses = new Map<string, FileAnalysis>()
  const refused: Finding[] = []
  const onDisk = (file: string) => !file.startsWith('..') && isPlainFile(path.join(dir, file))
  const specifiers = () =>
    [...analyses].flatMap(([file, { facts }]) =>
      (facts?.specifiers ?? []).map(([specifier, at]) => ({ file, specifier, at })),
    )

  const reader: Reader = {
    async readAll(names) {
      const fresh = names.filter((name) => !seen.has(name))
      for (const name of fresh) seen.add(name)
      const sources = await Promise.all(fresh.map((name) => readSource(dir, name, limits)))
      refused.push(...sources.filter(isFinding))
      const jobs = sources.flatMap((source) => (isFinding(source) ? [] : [source]))
      const missing = jobs.filter((job) => {
        const known = cache?.get(job)
        if (known) analyses.set(job.file, known)
        return !known
      })
      for (const result of await pool.run(missing)) {
        if ('failure' in result) refused.push(failure(result.job.file, result.why))
        else {
          analyses.set(result.job.file, result.analysis)
          cache?.put(result.job, result.analysis)
        }
      }
    },
    async followImports() {
      // Tests and hidden folders are not listed, but what the bundle imports from them is read all the same.
      for (let more = wanted(); more.length > 0; more = wanted()) await reader.readAll(more)
      for (const { file, specifier, at } of specifiers()) {
        if (isRelative(specifier) && !leavesFolder(file, specifier) && !resolveRelative(file, specifier, onDisk)) {
          const { line, column } = lineAndColumn(at)
          refused.push({
            ...finding(
              'import-unresolved',
              file,
              line,
              `\`${specifier}\` leads to no file of this module.`,
              'Correct the path.',
            ),
            column,
          })
        }
      }
    },
    importsPackages: () =>
      specifiers().some(
        ({ specifier }) => !isRelative(specifier) && !specifier.startsWith('@partner/sdk') && !isBuiltin(specifier),
      ),
    has: (file) => analyses.has(file),
    facts: () => new Map([...analyses].flatMap(([file, { facts }]) => (facts ? [[file, facts] as const] : []))),
    findings: () => [...refused, ...[...analyses.values()].flatMap((analysis) => analysis.findings)],
    count: () => seen.size,
  }

  function wanted(): string[] {
    const targets = specifiers().flatMap(({ file, specifier }) =>
      isRelative(specifier) ? (resolveRelative(file, specifier, onDisk) ?? []) : [],
    )
    return [...new Set(targets)].filter((file) => !seen.has(file) && /\.[cm]?[jt]sx?$/.test(file))
  }
  return reader
}

export async function checkMobilePages(dir: string, names: readonly string[]): Promise<Finding[]> {
  const pages = names.filter((name) => name.startsWith('mobile/') && /\.(html?|svg)$/i.test(name))
  const found = await Promise.all(
    pages.map(async (name) => checkMobileHtml(name, await readFile(path.join(dir, name), 'utf8'))),
  )
  return found.flat()
}

function leavesFolder(file: string, specifier: string): boolean {
  return path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).startsWith('..')
}

function isPlainFile(file: string): boolean {
  return existsSync(file) && lstatSync(file).isFile()
}

function failure(file: string, why: string): Finding {
  return finding('file-timeout', file, 1, why, 'Write it in smaller, plainer parts.')
}
