import type pg from 'pg'
import { ulid } from 'ulid'
import { createCipher } from '../../host/security/cipher.ts'
import { hashToken, newToken } from '../../host/security/installation-token.ts'
import { scopeCatalog } from '../../partner-services/scopes/catalog.ts'
import { testHostKey } from './cluster.ts'

export type School = { id: string; number: number }
export type InstalledApp = { installationId: string; slug: string; token: string; tenantId: string }

/** A tenant without any records. */
export async function createSchool(
  admin: pg.Pool,
  options: { sandbox?: boolean; timezone?: string } = {},
): Promise<School> {
  const id = ulid()
  const { rows } = await admin.query<{ number: number }>(
    `insert into core.tenants (id, name, sandbox, timezone) values ($1, 'School', $2, $3) returning number`,
    [id, options.sandbox ?? false, options.timezone ?? null],
  )
  return { id, number: rows[0]!.number }
}

/** An app that the school installed, with a token; all scopes unless some are named. */
export async function installApp(
  admin: pg.Pool,
  school: School,
  options: {
    slug?: string
    scopes?: string[]
    type?: string
    environment?: 'live' | 'test'
    rateLimited?: boolean
  } = {},
): Promise<InstalledApp> {
  const slug = options.slug ?? `app_${ulid().toLowerCase()}`
  const scopes = options.scopes ?? scopeCatalog.map(({ key }) => key)
  const installationId = ulid()
  const token = newToken(options.environment ?? 'live')
  const { rows } = await admin.query<{ id: string }>(
    `insert into core.apps (id, slug, integration_type, display_name) values ($1, $2, $3, $2)
      on conflict (slug) do update set slug = excluded.slug returning id`,
    [ulid(), slug, options.type ?? 'external'],
  )
  await admin.query(
    `insert into core.installations (tenant_id, id, app_id, granted_scopes, rate_limited) values ($1, $2, $3, $4, $5)`,
    [school.id, installationId, rows[0]!.id, scopes, options.rateLimited ?? false],
  )
  const sealed = createCipher(testHostKey).encrypt(school.id, 'installation_token', Buffer.from(token))
  await admin.query(
    `insert into core.installation_tokens (tenant_id, id, installation_id, token_hash, token_encrypted, environment)
      values ($1, $2, $3, $4, $5, $6)`,
    [school.id, ulid(), installationId, hashToken(token), sealed, options.environment ?? 'live'],
  )
  return { installationId, slug, token, tenantId: school.id }
}
