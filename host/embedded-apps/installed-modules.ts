import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { createKeptBySize } from '../isolates/client/kept-by-size.ts'
import { type Attestation, isSignedVersion } from '../security/bundle-signature.ts'
import { createRemembered, type Epoch } from '../security/remembered.ts'
import { type OwnLimits, readOwnLimits } from './own-limits.ts'

/** A published embedded app at one school, as the host's own records show it. */
export type InstalledModule = {
  installationId: string
  tenant: { id: string; number: number; sandbox: boolean }
  slug: string
  displayName: string
  versionId: string
  version: string
  scopes: ReadonlySet<string>
  manifest: Record<string, unknown>
  contributions: Record<string, unknown> | null
  settings: Record<string, unknown>
  bundleHash: string
  /** Whether there is a code cache that this host can use. */
  codeCached: boolean
  /** Set where the school or the platform stopped it: it is not called. */
  disabledReason: string | null
  /** What an operator set for this app; undefined where all is as for every other. */
  limits: OwnLimits | undefined
}

export type Bundle = { code: string; sourceMap?: string; hash: string; codeCache?: Uint8Array }

export type InstalledModules = {
  find(tenantId: string, slug: string): Promise<InstalledModule | null>
  list(tenantId: string): Promise<InstalledModule[]>
  /** Rejects where the version is not signed as what it is, or only for sandbox tenants and this is none. */
  loadBundle(module: Pick<InstalledModule, 'versionId' | 'tenant' | 'codeCached'>): Promise<Bundle>
}

const select = `select i.id as "installationId", i.tenant_id, t.number, t.sandbox, a.slug, a.display_name as "displayName",
    v.id as "versionId", v.version, i.granted_scopes, v.manifest, v.contributions, i.settings, v.bundle_hash as "bundleHash",
    exists (select from core.code_caches c where c.bundle_hash = b.hash and c.maker = $2) as "codeCached", a.limits, coalesce(a.disabled_reason, case when i.status = 'disabled' then coalesce(i.disabled_reason, 'disabled') end) as "disabledReason"
  from core.installations i
  join core.apps a on a.id = i.app_id
  join core.app_versions v on v.id = i.version_id
  join core.app_bundles b on b.hash = v.bundle_hash
  join core.tenants t on t.id = i.tenant_id
  where i.tenant_id = $1 and i.status <> 'uninstalled'`

type Row = Omit<InstalledModule, 'tenant' | 'scopes' | 'limits'> & {
  limits: Record<string, unknown>
  tenant_id: string
  number: number
  sandbox: boolean
  granted_scopes: string[]
}

/** A record is remembered for so long, in milliseconds; a change of it ends that everywhere before. */
const rememberedModules = { lifetime: 600_000, entries: 10_000 }
/** Of bundles with their source maps: some hundreds of usual size, a dozen of the largest there may be. */
const keptBundleBytes = 256 * 1_048_576

export function createInstalledModules(options: {
  system: pg.Pool
  /** Of the key that versions are signed with. */
  publicKey: KeyObject
  /** Whose code caches are used: see `codeCacheMaker`. */
  codeCacheMaker: string
  epoch: Epoch
  clock: () => Date
  /** Told, once, of what is stored and cannot be used. */
  report: (problem: string) => void
}): InstalledModules {
  const { system, publicKey, codeCacheMaker, epoch, clock, report } = options
  const known = createRemembered<InstalledModule>(epoch, {
    ...rememberedModules,
    tenantOf: ({ tenant }) => tenant.id,
    clock,
  })
  const bundles = createKeptBySize<VerifiedBundle>(keptBundleBytes)
  const reported = new Set<string>()

  function limitsOf(slug: string, stored: Row['limits']): OwnLimits | undefined {
    const { own, problems } = readOwnLimits(stored)
    for (const problem of problems.map((text) => `limits of app ${slug}: ${text}`)) {
      if (!reported.has(problem)) report(problem)
      reported.add(problem)
    }
    return own
  }
  async function query(tenantId: string, slug: string | null): Promise<InstalledModule[]> {
    const { rows } = await system.query<Row>({
      name: slug === null ? 'modules of a tenant' : 'module of a tenant',
      text: `${select}${slug === null ? ' order by a.slug' : ' and a.slug = $3'}`,
      values: [tenantId, codeCacheMaker, ...(slug === null ? [] : [slug])],
    })
    return rows.map(({ tenant_id, number, sandbox, granted_scopes, limits, ...rest }) => ({
      ...rest,
      tenant: { id: tenant_id, number, sandbox },
      scopes: new Set(granted_scopes),
      limits: limitsOf(rest.slug, limits),
    }))
  }

  return {
    list: (tenantId) => query(tenantId, null),
    find: (tenantId, slug) => known.recall(`${tenantId} ${slug}`, async () => (await query(tenantId, slug))[0] ?? null),
    async loadBundle({ versionId, tenant, codeCached }) {
      // A cache that was made again after a bundle was read is worth reading it again.
      const key = `${versionId} ${codeCached ? 'cached' : ''}`
      let verified = bundles.get(key)
      if (verified === undefined) {
        verified = await readBundle(system, versionId, { publicKey, codeCacheMaker })
        bundles.put(key, verified, bytesOf(verified.bundle))
      }
      if (verified.review !== 'approved' && !tenant.sandbox)
        throw new Error(`version ${versionId} was signed for sandbox tenants only`)
      return verified.bundle
    },
  }
}

/** Of text two bytes a character, which is what it takes where one of them is no Latin letter. */
const bytesOf = ({ code, sourceMap, codeCache }: Bundle): number =>
  2 * (code.length + (sourceMap?.length ?? 0)) + (codeCache?.length ?? 0)

type VerifiedBundle = { bundle: Bundle; review: Attestation['review'] }

type BundleRow = Omit<Attestation, 'scan' | 'review'> & {
  code: string
  source_map: string | null
  code_cache: Buffer | null
  signature: Buffer | null
  scan_verdict: Attestation['scan']
  review_verdict: Attestation['review']
}

async function readBundle(
  system: pg.Pool,
  versionId: string,
  { publicKey, codeCacheMaker }: { publicKey: KeyObject; codeCacheMaker: string },
): Promise<VerifiedBundle> {
  const { rows } = await system.query<BundleRow>(
    `select a.slug, v.version, v.bundle_hash as "bundleHash", v.manifest, v.contributions, v.signature, v.scan_verdict,
        v.review_verdict, b.code, b.source_map, c.cache as code_cache
      from core.app_versions v join core.apps a on a.id = v.app_id join core.app_bundles b on b.hash = v.bundle_hash
      left join core.code_caches c on c.bundle_hash = b.hash and c.maker = $2
      where v.id = $1`,
    [versionId, codeCacheMaker],
  )
  const row = rows[0]
  if (!row) throw new Error(`version ${versionId} has no bundle`)
  const attestation: Attestation = { ...row, scan: row.scan_verdict, review: row.review_verdict }
  if (!isSignedVersion(row.code, attestation, row.signature, publicKey))
    throw new Error(`version ${versionId} lacks a valid signature`)
  const bundle = {
    code: row.code,
    hash: row.bundleHash,
    ...(row.source_map === null ? {} : { sourceMap: row.source_map }),
    ...(row.code_cache === null ? {} : { codeCache: row.code_cache }),
  }
  return { bundle, review: attestation.review }
}
