import type pg from 'pg'
import { ulid } from 'ulid'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { createCipher } from '../security/cipher.ts'
import { issueToken } from '../security/issue-token.ts'

export type InstallContext = { system: pg.Pool; keys: { data: Buffer }; clock: () => Date }

export type Installed = {
  installationId: string
  scopes: string[] /** Shown once; null where it was installed already. */
  token: string | null
}

type VersionRow = {
  app_id: string
  version_id: string
  integration_type: string
  scopes: { key: string; required?: boolean }[]
  sandbox: boolean
}

/**
 * Installs the app's newest published version at a school, with the scopes that were approved (all that it requests
 * unless some are named). Required scopes cannot be left out, and none can be added. Installed already: nothing happens.
 */
export async function installApp(
  context: InstallContext,
  { slug, tenantId, scopes }: { slug: string; tenantId: string; scopes?: string[] },
): Promise<Installed> {
  const { system, keys, clock } = context
  const version = await newestVersion(system, slug, tenantId)
  const granted = approvedScopes(version.scopes, scopes)
  const { rows } = await system.query<{ id: string }>(
    `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited, installed_at)
      values ($1, $2, $3, $4, $5, $6, $7) on conflict (tenant_id, app_id) where status <> 'uninstalled' do nothing returning id`,
    [tenantId, ulid(), version.app_id, version.version_id, granted, version.integration_type === 'external', clock()],
  )
  const installationId = rows[0]?.id
  if (!installationId) return existing(system, tenantId, version.app_id)
  const environment = version.sandbox ? 'test' : 'live'
  const token = await issueToken(system, {
    tenantId,
    installationId,
    environment,
    cipher: createCipher(keys.data),
    now: clock(),
  })
  return { installationId, scopes: granted, token }
}

async function newestVersion(system: pg.Pool, slug: string, tenantId: string): Promise<VersionRow> {
  const { rows } = await system.query<VersionRow>(
    `select a.id as app_id, v.id as version_id, a.integration_type, coalesce(v.manifest -> 'scopes', '[]') as scopes, t.sandbox
      from core.apps a join core.app_versions v on v.app_id = a.id and v.state = 'published', core.tenants t
      where a.slug = $1 and t.id = $2 order by v.published_at desc limit 1`,
    [slug, tenantId],
  )
  if (!rows[0]) throw new ServiceError('not_found')
  return rows[0]
}

function approvedScopes(requested: VersionRow['scopes'], chosen: string[] | undefined): string[] {
  const keys = requested.map(({ key }) => key)
  if (!chosen) return keys
  const unknown = chosen.filter((key) => !keys.includes(key))
  const missing = requested.filter(({ key, required }) => required && !chosen.includes(key)).map(({ key }) => key)
  if (unknown.length > 0 || missing.length > 0) {
    throw new ServiceError('invalid_data', {
      errors: {
        scopes: [...unknown.map((key) => `${key} is not requested`), ...missing.map((key) => `${key} is required`)],
      },
    })
  }
  return chosen
}

async function existing(system: pg.Pool, tenantId: string, appId: string): Promise<Installed> {
  const { rows } = await system.query<{ id: string; granted_scopes: string[] }>(
    `select id, granted_scopes from core.installations where tenant_id = $1 and app_id = $2 and status <> 'uninstalled'`,
    [tenantId, appId],
  )
  if (!rows[0]) throw new ServiceError('invalid_state')
  return { installationId: rows[0].id, scopes: rows[0].granted_scopes, token: null }
}
