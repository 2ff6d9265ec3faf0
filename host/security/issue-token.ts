import type pg from 'pg'
import { ulid } from 'ulid'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { type Environment, hashToken, newToken } from './installation-token.ts'

/** Makes a token of an installation and stores its hash and its encrypted text. The answer is the only clear copy. */
export async function issueToken(
  system: pg.Pool | pg.ClientBase,
  options: { tenantId: string; installationId: string; environment: Environment; cipher: Cipher; now: Date },
): Promise<string> {
  const { tenantId, installationId, environment, cipher, now } = options
  const token = newToken(environment)
  await system.query(
    `insert into core.installation_tokens (tenant_id, id, installation_id, token_hash, token_encrypted, environment, created_at)
      values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tenantId,
      ulid(),
      installationId,
      hashToken(token),
      cipher.encrypt(tenantId, 'installation_token', Buffer.from(token)),
      environment,
      now,
    ],
  )
  return token
}
