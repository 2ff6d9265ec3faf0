import { realpath, stat } from 'node:fs/promises'
import type { OperationFacts, ScopeFacts } from '../catalog.ts'
import { type Finding, type ScanReport, sortFindings } from '../finding.ts'
import { type Analysis, analyse, analyseModule, type Declared } from '../scopes/analyse.ts'
import { TooManySteps } from '../scopes/effort.ts'
import type { FileFacts } from '../scopes/facts.ts'
import { type BundleFiles, bundleFiles } from './bundle.ts'
import { openCache } from './cache.ts'
import { changedSince } from './changed.ts'
import { checkDataFiles } from './data-files.ts'
import { isCode, isPackaged, listFiles, sourceNames } from './files.ts'
import { checkHosting, entry } from './hosting.ts'
import type { ManifestOptions } from '../manifest/check.ts'
import { isPartnersOwn } from '../manifest/hosting.ts'
import type { ScanLimits } from './limits.ts'
import { type Memory, MemoryLost, nothingFollowed, openMemory, platformKey } from './memory.ts'
import type { Pool } from './pool.ts'
import { type ReadManifest, readManifest } from './read-manifest.ts'
import { checkMobilePages, createReader, type Reader } from './reader.ts'
import { createResolver } from './resolve.ts'

export type ScanInput = {
  readonly catalog: readonly ScopeFacts[]
  readonly operations: readonly OperationFacts[]
  /** What apps may subscribe to. */
  readonly events?: readonly string[]
  /** Whether the host that publishes calls `http://127.0.0.1`. */
  readonly allowLoopback?: boolean
  /** A git revision: only what changed since is looked at anew. */
  readonly changed?: string
  readonly cacheFolder?: string
}

const manifestOptions = ({ catalog, events, allowLoopback }: ScanInput): ManifestOptions => ({
  scopeCatalog: catalog,
  events,
  allowLoopback,
})

/**
 * The policy's verdict on a module's folder. A cache that loses something while it is read counts as absent, and so does one of
 * a module that is not followed to its end: which of its files is to be named, only following all of them tells.
 */
export async function scanFolder(
  folder: string,
  input: ScanInput,
  limits: ScanLimits,
  pool: Pool,
): Promise<ScanReport> {
  try {
    return await scanOnce(folder, input, limits, pool, input.changed !== undefined)
  } catch (error) {
    if (!(error instanceof MemoryLost || error instanceof TooManySteps)) throw error
    return await scanOnce(folder, input, limits, pool, false)
  }
}

/** The steps of a scan. They read; they run nothing of the module and change nothing in the folder. */
async function scanOnce(
  folder: string,
  input: ScanInput,
  limits: ScanLimits,
  pool: Pool,
  remembers: boolean,
): Promise<ScanReport> {
  const started = performance.now()
  const dir = await moduleFolder(folder)
  const quick = input.changed !== undefined
  const cache = remembers ? openCache(dir, input.cacheFolder) : undefined
  const memory = cache && openMemory(cache)
  const changing = input.changed === undefined ? undefined : heard(changedSince(dir, input.changed))
  const listing = await listFiles(dir, limits)
  const hasEntry = listing.names.includes(entry)
  const bundling = hasEntry && !quick ? bundleFiles(dir, entry) : undefined
  const reader = createReader(dir, limits, pool, memory)
  const reading = heard(Promise.all([reader.readAll(sourceNames(listing.names)), reader.readImported()]))
  const manifest = await readManifest(dir, listing.names, manifestOptions(input), cache)
  await reading
  await reader.readImported()
  const describes = listing.names.some((name) => name.endsWith('/package.json'))
  const needed = hasEntry && (describes || reader.importsPackages())
  const bundle = await (bundling ?? (needed ? bundleFiles(dir, entry) : undefined))
  reader.checkImports(bundle)
  await reader.readAll(codeOf(bundle), bundle)
  const analysis = hasEntry ? follow(reader, memory, input, manifest, limits.steps) : withoutCode(manifest.declared)
  if (!hasEntry) memory?.keep(reader.seen(), nothingFollowed, new Map())
  const mobile = await checkMobilePages(dir, listing.names, limits, pool)
  cache?.save()
  const changed = await changing
  const perFile = [...reader.findings(), ...mobile, ...checkDataFiles(dir, listing.names, limits)].filter(
    (finding) => (changed?.has(finding.file) ?? true) && !isLeftOut(finding, bundle),
  )
  const findings = [
    ...listing.findings,
    ...manifest.findings,
    ...checkHosting(listing.names, manifest.code),
    ...(bundle?.findings ?? []),
    ...perFile,
    ...analysis.findings,
  ]
  return {
    findings: sortFindings(findings.filter(({ file }) => !isPartnersOwn(manifest.code, file))),
    scopes: analysis.scopes,
    files: reader.count(),
    ms: Math.round(performance.now() - started),
  }
}

/** A promise whose failure is told where it is awaited, which is later. */
function heard<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined)
  return promise
}

/** An app without code here uses its scopes over HTTP, where the scan does not see it. */
function withoutCode({ scopes: declared }: Declared): Analysis {
  return { scopes: { used: [], declared: declared.map(({ key }) => key), unused: [], undeclared: [] }, findings: [] }
}

/** Of an npm file that is not in the bundle nothing runs; what it imports the bundle must find all the same. */
function isLeftOut({ rule, file }: Finding, bundle: BundleFiles | undefined): boolean {
  return rule !== 'node-builtin' && isPackaged(file) && bundle?.holds(file) === false
}

function codeOf(bundle: BundleFiles | undefined): string[] {
  return (bundle?.files ?? []).filter(isCode)
}

/** Follows the values of the whole module, or of what of it has changed since the scan before. */
function follow(
  reader: Reader,
  memory: Memory | undefined,
  { operations }: ScanInput,
  { declared }: ReadManifest,
  mostSteps: number,
): Analysis {
  const resolve = createResolver(reader.has)
  const seen = reader.seen()
  if (!memory) {
    const facts = [...seen].flatMap(([file, { outline, facts }]): [string, FileFacts][] =>
      outline ? [[file, facts()]] : [],
    )
    return analyse(new Map(facts), entry, resolve, operations, declared, mostSteps)
  }
  const recalled = memory.recall(seen, platformKey(entry, operations, declared))
  const analysis = analyseModule({ entry, resolve, mostSteps, ...recalled }, operations, declared)
  memory.keep(seen, recalled, analysis.followed)
  return analysis
}

async function moduleFolder(folder: string): Promise<string> {
  const dir = await realpath(folder).catch(() => undefined)
  if (!dir || !(await stat(dir)).isDirectory()) throw new Error(`${folder} is no folder`)
  return dir
}
