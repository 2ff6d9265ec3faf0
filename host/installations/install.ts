import type pg from 'pg'
import { ulid } from 'ulid'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { inTime } from '../processes/in-time.ts'
import { issueToken, type NewToken } from '../security/issue-token.ts'
import { type ConsentAction, recordConsent } from './consents.ts'
import { holdPublishedApp, type PublishedApp } from './published-version.ts'
import { grantOf } from './requested-scopes.ts'
import { inTransaction } from '../database/in-transaction.ts'

export type InstallationContext = {
  /** The system role's pool. */
  system: pg.Pool
  cipher: Cipher
  clock: () => Date
  /** Resolves once no web process uses what it knew of tokens and grants. */
  grantsChanged: () => Promise<void>
  /** Resolves once no delivery begins any more that a worker claimed before what was just taken. */
  deliveriesStopped: () => Promise<void>
  /** Gives a school the rows that the app's migrations gave to the schools before. Safe to repeat. */
  applyTenantData: (of: ModuleOfTenant) => Promise<unknown>
  /** Told of rows that are not there yet: the publisher makes that good. */
  rowsFollow: (reason: unknown) => void
}

export const rowsFollowText = 'an app is installed, the rows of its migrations follow'

type ModuleOfTenant = { slug: string; tenantId: string }

/** So long an installation's answer waits for the rows, in milliseconds: a migration that runs may hold them up for minutes. */
const rowPatience = 5_000

export type Approval = { tenantId: string; accountId: string | null; scopes?: readonly string[] }

export type Installed = { installationId: string; scopes: string[]; isNew: boolean; environment: 'live' | 'test' }

/**
 * Puts an approved app at a school, or approves its newest version for an installation that is there already.
 * The transaction holds the app. No token yet: it is issued by `issueFirstToken`, or in exchange for a code.
 */
export async function approveApp(
  context: InstallationContext,
  client: pg.ClientBase,
  app: PublishedApp,
  approval: Approval,
): Promise<Installed> {
  const { tenantId, accountId } = approval
  const scopes = grantOf(app.scopes, approval.scopes)
  const environment = await environmentOf(client, tenantId)
  const { rows } = await client.query<{ id: string; is_new: boolean }>(
    `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited, installed_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (tenant_id, app_id) where status <> 'uninstalled'
        do update set version_id = excluded.version_id, granted_scopes = excluded.granted_scopes
      returning id, id = $2 as is_new`,
    [tenantId, ulid(), app.appId, app.versionId, scopes, app.integrationType === 'external', context.clock()],
  )
  const { id: installationId, is_new: isNew } = rows[0]!
  const action: ConsentAction = isNew ? 'installed' : 'approved'
  const { versionId } = app
  await recordConsent(client, { tenantId, installationId, accountId, action, versionId, scopes, at: context.clock() })
  return { installationId, scopes, isNew, environment }
}

async function environmentOf(client: pg.ClientBase, tenantId: string): Promise<'live' | 'test'> {
  const { rows } = await client.query<{ sandbox: boolean }>('select sandbox from core.tenants where id = $1', [
    tenantId,
  ])
  if (!rows[0]) throw new NotFoundException()
  return rows[0].sandbox ? 'test' : 'live'
}

/**
 * Installs with the scopes that were approved (all that is requested unless some are named) and issues the installation's
 * first token. `token` is the only clear copy; null where it had one before. The module's rows may follow later: the
 * installation stands by then, and its token is not shown again.
 */
export async function installApp(
  context: InstallationContext,
  slug: string,
  approval: Approval,
): Promise<Installed & { token: string | null }> {
  const { isExternal, ...installed } = await inTransaction(context.system, async (client) => {
    const app = await holdPublishedApp(client, slug)
    const made = await approveApp(context, client, app, approval)
    const token = await issueFirstToken(context, client, { ...made, tenantId: approval.tenantId })
    return { ...made, token, isExternal: app.integrationType === 'external' }
  })
  await untilInForce(context, installed)
  if (!isExternal) await giveRows(context, { slug, tenantId: approval.tenantId })
  return installed
}

/** Resolves once nothing goes on that an approval took: it may grant less than the one before, and nothing was there before the first. */
export async function untilInForce(context: InstallationContext, { isNew }: Pick<Installed, 'isNew'>): Promise<void> {
  if (!isNew) await Promise.all([context.grantsChanged(), context.deliveriesStopped()])
}

async function giveRows({ applyTenantData, rowsFollow }: InstallationContext, of: ModuleOfTenant): Promise<void> {
  const given = applyTenantData(of).catch(rowsFollow)
  await inTime(given, rowPatience, null)
}

/** The token of an installation that has none that lasts; null where it has one. The transaction holds the installation. */
export async function issueFirstToken(
  { cipher, clock }: Pick<InstallationContext, 'cipher' | 'clock'>,
  client: pg.ClientBase,
  { tenantId, installationId, environment }: Pick<NewToken, 'tenantId' | 'installationId' | 'environment'>,
): Promise<string | null> {
  const { rowCount } = await client.query(
    `select from core.installation_tokens
      where tenant_id = $1 and installation_id = $2 and revoked_at is null and expires_at is null`,
    [tenantId, installationId],
  )
  return rowCount ? null : issueToken(client, { tenantId, installationId, environment, cipher, now: clock() })
}
