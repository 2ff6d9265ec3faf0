import { realpath, stat } from 'node:fs/promises'
import type { OperationFacts, ScopeFacts } from '../catalog.ts'
import { type ScanReport, sortFindings } from '../finding.ts'
import { type Analysis, analyse } from '../scopes/analyse.ts'
import { type BundleFiles, bundleFiles } from './bundle.ts'
import { type Cache, openCache } from './cache.ts'
import { changedSince } from './changed.ts'
import { finding, listFiles, sourceNames } from './files.ts'
import type { ManifestOptions } from '../manifest/check.ts'
import type { ScanLimits } from './limits.ts'
import type { Pool } from './pool.ts'
import { type ReadManifest, readManifest } from './read-manifest.ts'
import { checkMobilePages, createReader } from './reader.ts'
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

const entry = 'src/index.ts'

const manifestOptions = ({ catalog, events, allowLoopback }: ScanInput): ManifestOptions => ({
  scopeCatalog: catalog,
  events,
  allowLoopback,
})

/** The steps of a scan. They read; they run nothing of the module and change nothing in the folder. */
export async function scanFolder(
  folder: string,
  input: ScanInput,
  limits: ScanLimits,
  pool: Pool,
): Promise<ScanReport> {
  const started = performance.now()
  const dir = await moduleFolder(folder)
  const quick = input.changed !== undefined
  const cache = quick ? openCache(dir, input.cacheFolder) : undefined
  const changing = input.changed === undefined ? undefined : heard(changedSince(dir, input.changed))
  const listing = await listFiles(dir, limits)
  const hasEntry = listing.names.includes(entry)
  const bundling = hasEntry && !quick ? bundleFiles(dir, entry) : undefined
  const reader = createReader(dir, limits, pool, cache)
  const reading = heard(Promise.all([reader.readAll(sourceNames(listing.names)), reader.readImported()]))
  const manifest = await readManifest(dir, listing.names, manifestOptions(input), cache)
  await reading
  await reader.readImported()
  reader.checkImports()
  const bundle = await (bundling ?? (hasEntry && reader.importsPackages() ? bundleFiles(dir, entry) : undefined))
  await reader.readAll(codeOf(bundle))
  const analysis = hasEntry
    ? analyse(reader.facts(), entry, createResolver(reader.has), input.operations, manifest.declared)
    : withoutCode(manifest)
  const mobile = await checkMobilePages(dir, listing.names, limits, pool)
  const saving = save(cache)
  const changed = await changing
  const perFile = [...reader.findings(), ...mobile].filter((finding) => changed?.has(finding.file) ?? true)
  const findings = [
    ...listing.findings,
    ...manifest.findings,
    ...(bundle?.findings ?? []),
    ...perFile,
    ...analysis.findings,
  ]
  await saving
  return {
    findings: sortFindings(findings),
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

/** An app hosted elsewhere uses its scopes over HTTP, where the scan does not see it; an embedded one must have code. */
function withoutCode({ declared, embedded }: ReadManifest): Analysis {
  const scopes = { used: [], declared: declared.scopes.map((scope) => scope.key), unused: [], undeclared: [] }
  const missing = finding(
    'bundle-failed',
    entry,
    1,
    'An embedded module has no code without this file.',
    'Write it: `export default defineModule({…})`.',
  )
  return { scopes, findings: embedded ? [missing] : [] }
}

function codeOf(bundle: BundleFiles | undefined): string[] {
  return (bundle?.files ?? []).filter((file) => /\.[cm]?[jt]sx?$/.test(file))
}

async function save(cache: Cache | undefined): Promise<void> {
  // A cache that cannot be written makes the next scan slower, not wrong.
  await cache?.save().catch(() => undefined)
}

async function moduleFolder(folder: string): Promise<string> {
  const dir = await realpath(folder).catch(() => undefined)
  if (!dir || !(await stat(dir)).isDirectory()) throw new Error(`${folder} is no folder`)
  return dir
}
