import type pg from 'pg'
import { ulid } from 'ulid'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { type Sql, sql, textOf } from '../../partner-services/service/sql.ts'
import { type Environment, hashToken, newToken } from './installation-token.ts'

/** Whose token it will be, and when it was made. */
export type NewToken = {
  tenantId: string
  installationId: string
  environment: Environment
  cipher: Cipher
  now: Date
  /** Whether the answer goes to the app's partner, who sees a token once. Source: decisions.md, tokens. */
  isShown?: boolean
}

/** A token of an installation, of which this is the only clear copy, and what stores its hash and its encrypted text. */
export function makeToken(of: NewToken): { token: string; statement: Sql } {
  const { tenantId, installationId, environment, cipher, now, isShown = false } = of
  const token = newToken(environment)
  const sealed = cipher.encrypt(tenantId, 'installation_token', Buffer.from(token))
  const statement = sql`insert into core.installation_tokens
    (tenant_id, id, installation_id, token_hash, token_encrypted, environment, created_at, shown_at)
    values (${tenantId}, ${ulid()}, ${installationId}, ${hashToken(token)}, ${sealed}, ${environment}, ${now},
      ${isShown ? now : null})`
  return { token, statement }
}

/** Makes and stores a token as the system role. The answer is the only clear copy. */
export async function issueToken(system: pg.Pool | pg.ClientBase, of: NewToken): Promise<string> {
  const { token, statement } = makeToken(of)
  await system.query(textOf(statement), [...statement.values])
  return token
}
