import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inTransaction } from '../database/in-transaction.ts'
import { rotationOverlap } from '../security/installation-token.ts'
import { issueToken } from '../security/issue-token.ts'
import { confirmedLater } from '../security/token-epoch.ts'
import type { InstallationContext } from './install.ts'

/** How long a code is good, in milliseconds. Source: decisions.md, tokens. */
const codeTime = 10 * 60 * 1_000

const hashCode = (code: string) => createHash('sha256').update(code).digest()

/** `redirectUri`: as the app named it, empty where it left it out. */
export type CodeGrant = { tenantId: string; installationId: string; appId: string; redirectUri: string }

/** Makes a code in the consent's own transaction: the installation and its code come together. */
export async function issueCode(client: pg.ClientBase, grant: CodeGrant, now: Date): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await client.query(
    `insert into core.authorization_codes (tenant_id, code_hash, installation_id, app_id, redirect_uri, expires_at)
      values ($1, $2, $3, $4, $5, $6)`,
    [
      grant.tenantId,
      hashCode(code),
      grant.installationId,
      grant.appId,
      grant.redirectUri,
      new Date(now.getTime() + codeTime),
    ],
  )
  return code
}

export type Exchanged = { token: string; tenantNumber: number; installationId: string; scopes: string[] }

type Row = {
  tenant_id: string
  installation_id: string
  number: number
  sandbox: boolean
  granted_scopes: string[]
}

/**
 * The installation's token in exchange for a code; null where the code is unknown, used, expired, of another app or meant for
 * another redirect URL. One that was named with the wish is named again here (RFC 6749, 4.1.3). A token from before stays
 * valid 15 more minutes. A code that is tried twice revokes nothing: only the app itself, which proved its secret, can have
 * tried it.
 */
export async function exchangeCode(
  context: InstallationContext,
  request: { code: string; appId: string; redirectUri: string },
): Promise<Exchanged | null> {
  const { system, cipher, clock } = context
  const now = clock()
  const exchanged = await inTransaction(system, async (client) => {
    // Exchanges and rotations of one installation take turns: each ends the token of the one before.
    await client.query(
      `select from core.installations where (tenant_id, id) in (
        select tenant_id, installation_id from core.authorization_codes where code_hash = $1) for update`,
      [hashCode(request.code)],
    )
    const { rows } = await client.query<Row>(
      `with taken as (
          update core.authorization_codes set used_at = $2
          where code_hash = $1 and used_at is null and expires_at > $2 and app_id = $3 and redirect_uri in ('', $4)
          returning tenant_id, installation_id
        )
        select taken.*, t.number, t.sandbox, i.granted_scopes from taken join core.tenants t on t.id = taken.tenant_id
        join core.installations i on i.tenant_id = taken.tenant_id and i.id = taken.installation_id and i.status = 'active'`,
      [hashCode(request.code), now, request.appId, request.redirectUri],
    )
    const found = rows[0]
    if (!found) return null
    const { tenant_id: tenantId, installation_id: installationId } = found
    await client.query(
      `update core.installation_tokens set expires_at = least(expires_at, $3)
        where tenant_id = $1 and installation_id = $2 and revoked_at is null`,
      [tenantId, installationId, new Date(now.getTime() + rotationOverlap)],
    )
    const environment = found.sandbox ? 'test' : 'live'
    const token = await issueToken(client, { tenantId, installationId, environment, cipher, now, isShown: true })
    return { token, tenantNumber: found.number, installationId, scopes: found.granted_scopes }
  })
  if (exchanged) await context.grantsChanged().catch(confirmedLater)
  return exchanged
}
