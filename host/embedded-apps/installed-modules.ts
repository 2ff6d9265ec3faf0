import type { KeyObject } from 'node:crypto'
import type pg from 'pg'
import { type Attestation, isSignedBundle } from '../security/bundle-signature.ts'

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
  /** Set where the school or the platform stopped it: it is not called. */
  disabledReason: string | null
}

export type Bundle = { code: string; sourceMap?: string; hash: string; codeCache?: Uint8Array }

export type InstalledModules = {
  find(tenantId: string, slug: string): Promise<InstalledModule | null>
  list(tenantId: string): Promise<InstalledModule[]>
  loadBundle(hash: string): Promise<Bundle>
  forget(): void
}

const select = `select i.id as "installationId", i.tenant_id, t.number, t.sandbox, a.slug, a.display_name as "displayName",
    v.id as "versionId", v.version, i.granted_scopes, v.manifest, v.contributions, i.settings, v.bundle_hash as "bundleHash",
    coalesce(a.disabled_reason, case when i.status = 'disabled' then coalesce(i.disabled_reason, 'disabled') end) as "disabledReason"
  from core.installations i
  join core.apps a on a.id = i.app_id
  join core.app_versions v on v.id = i.version_id
  join core.tenants t on t.id = i.tenant_id
  where i.tenant_id = $1 and i.status <> 'uninstalled' and v.bundle_hash is not null`

type Row = Omit<InstalledModule, 'tenant' | 'scopes'> & {
  tenant_id: string
  number: number
  sandbox: boolean
  granted_scopes: string[]
}

/** How long a record may be used again without asking the database, in milliseconds. */
const cacheTime = 1_000
const cachedBundles = 100

export function createInstalledModules(system: pg.Pool, publicKey: KeyObject, clock: () => Date): InstalledModules {
  const known = new Map<string, { module: InstalledModule | null; until: number }>()
  const bundles = new Map<string, Bundle>()

  async function query(tenantId: string, slug: string | null): Promise<InstalledModule[]> {
    const { rows } = await system.query<Row>({
      name: slug === null ? 'modules of a tenant' : 'module of a tenant',
      text: `${select}${slug === null ? ' order by a.slug' : ' and a.slug = $2'}`,
      values: slug === null ? [tenantId] : [tenantId, slug],
    })
    return rows.map(({ tenant_id, number, sandbox, granted_scopes, ...rest }) => ({
      ...rest,
      tenant: { id: tenant_id, number, sandbox },
      scopes: new Set(granted_scopes),
    }))
  }

  return {
    list: (tenantId) => query(tenantId, null),
    async find(tenantId, slug) {
      const key = `${tenantId} ${slug}`
      const now = clock().getTime()
      const hit = known.get(key)
      if (hit && hit.until > now) return hit.module
      const module = (await query(tenantId, slug))[0] ?? null
      if (known.size > 10_000) known.clear()
      known.set(key, { module, until: now + cacheTime })
      return module
    },
    async loadBundle(hash) {
      const cached = bundles.get(hash)
      if (cached) return cached
      const bundle = await readBundle(system, hash, publicKey)
      if (bundles.size >= cachedBundles) bundles.delete(bundles.keys().next().value!)
      bundles.set(hash, bundle)
      return bundle
    },
    forget: () => known.clear(),
  }
}

type BundleRow = {
  code: string
  source_map: string | null
  code_cache: Buffer | null
  signature: Buffer | null
  scan_verdict: Attestation['scan']
  review_verdict: Attestation['review']
}

async function readBundle(system: pg.Pool, hash: string, publicKey: KeyObject): Promise<Bundle> {
  const { rows } = await system.query<BundleRow>(
    'select code, source_map, code_cache, signature, scan_verdict, review_verdict from core.app_bundles where hash = $1',
    [hash],
  )
  const row = rows[0]
  if (!row) throw new Error(`no bundle ${hash}`)
  const attestation: Attestation = { hash, scan: row.scan_verdict, review: row.review_verdict }
  if (!isSignedBundle(row.code, attestation, row.signature, publicKey))
    throw new Error(`bundle ${hash} lacks a valid signature`)
  return {
    code: row.code,
    hash,
    ...(row.source_map === null ? {} : { sourceMap: row.source_map }),
    ...(row.code_cache === null ? {} : { codeCache: row.code_cache }),
  }
}
