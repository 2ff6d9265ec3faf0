import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { bundleModule } from '../bundling/bundle.ts'
import { BundleError } from '../bundling/bundle-error.ts'
import { compileCodeCache, sealCodeCache } from '../isolates/code-cache.ts'
import { ReportedError } from '../processes/rpc.ts'
import { type Attestation, hashCode, signBundle } from '../security/bundle-signature.ts'
import { discover } from './discover.ts'
import { importModuleMigrations } from './module-migrations.ts'
import type { PublisherContext } from './publisher-context.ts'
import { type SourceFiles, unpackSource } from './source-files.ts'
import { freeVersion, registerVersion } from './versions.ts'

export type Publication = {
  files: SourceFiles
  /** Reviews and publishes at once: only with the embedded database. */
  approve: boolean
  /** Samples and drafts: where the version's name is taken by other content, a suffix is added. */
  renameTaken?: boolean
  sourceHash?: string
}

export type Published = { slug: string; version: string; hash: string; state: string; migrations: string[] }

/** Everything between a module's source and its version. Nothing is registered unless every step held. */
export async function publish(context: PublisherContext, publication: Publication): Promise<Published> {
  const source = unpackSource(publication.files)
  try {
    const manifest = readManifest(source.folder)
    const version = await freeVersion(context, manifest, publication)
    const bundle = await bundleModule(source.folder).catch(reportBundleError)
    const hash = hashCode(bundle.code)
    const codeCache = sealCodeCache(await compileCodeCache(bundle.code), hash, context.keys.codeCache)
    const contributions = await discover(context, manifest.moduleId, {
      code: bundle.code,
      sourceMap: bundle.sourceMap,
      hash,
    })
    const migrations = await importModuleMigrations(context, manifest.moduleId, source.folder, version)
    const attestation: Attestation = { hash, scan: 'clean', review: 'approved' }
    await registerVersion(context, {
      id: ulid(),
      manifest,
      version,
      state: publication.approve ? 'published' : 'draft',
      contributions,
      sourceHash: publication.sourceHash ?? hash,
      attestation,
      signature: publication.approve ? signBundle(attestation, context.keys.signing) : null,
      bundle: { ...bundle, codeCache },
    })
    return { slug: manifest.moduleId, version, hash, state: publication.approve ? 'published' : 'draft', migrations }
  } finally {
    source.remove()
  }
}

function reportBundleError(error: unknown): never {
  if (!(error instanceof BundleError)) throw error
  const findings = error.findings.map((finding) => ({ ...finding, rule: error.code }))
  throw new ReportedError('the module does not compile', { findings })
}

export type Manifest = {
  moduleId: string
  displayName: string
  version: string
  integrationType: 'embedded' | 'external' | 'notification' | 'payment'
  scopes: { key: string; required: boolean; reason: string }[]
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  } catch {
    throw new ReportedError('manifest.json is missing or no JSON', {
      findings: [{ file: 'manifest.json', line: 1, message: 'missing or no JSON' }],
    })
  }
}
