import type { Caller } from '../../partner-services/service/caller.ts'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { Idempotency, OperationResponse } from '../../partner-services/service/ports.ts'
import type { Row, Statement } from './pipeline.ts'

/** How long a key stands for its request, in milliseconds. Source: specification, limits. */
const keyLifetime = 24 * 60 * 60 * 1_000

/** How long a request waits for the first one with its key to end, in milliseconds. */
const longestWait = 2_000

const uniqueViolation = '23505'
const lockNotAvailable = '55P03'

/**
 * Claims the key for this transaction. A second request with the key waits here until the first has ended, and then
 * fails by a unique violation, or goes on where the first was rolled back: exactly one executes.
 */
export const claimKey = (caller: Caller, { key, fingerprint }: Idempotency, now: Date): Statement[] => [
  { text: `select set_config('lock_timeout', $1, true)`, values: [String(longestWait)] },
  {
    text: 'insert into core.idempotency_keys (tenant_id, installation_id, key, fingerprint, created_at) values ($1, $2, $3, $4, $5)',
    values: [caller.tenant.id, caller.installation.id, key, fingerprint, now],
  },
  // The work that follows waits for a lock as long as without a key.
  { text: 'set local lock_timeout to default', values: [] },
]

/** Stores the answer beside the key, in the transaction that claimed it. */
export const storeAnswer = (caller: Caller, { key }: Idempotency, answer: OperationResponse): Statement => ({
  text: 'update core.idempotency_keys set status = $4, body = $5 where tenant_id = $1 and installation_id = $2 and key = $3',
  values: [caller.tenant.id, caller.installation.id, key, answer.status, answer.body],
})

/** Gives the key back: the request may be sent again as if for the first time. */
export const releaseKey = (caller: Caller, { key }: Idempotency): Statement => ({
  text: 'delete from core.idempotency_keys where tenant_id = $1 and installation_id = $2 and key = $3',
  values: [caller.tenant.id, caller.installation.id, key],
})

/** Removes the key if it is older than its lifetime, and reads it otherwise. */
export const readKey = (caller: Caller, { key }: Idempotency, now: Date): Statement[] => [
  {
    text: `delete from core.idempotency_keys
      where tenant_id = $1 and installation_id = $2 and key = $3 and created_at <= $4`,
    values: [caller.tenant.id, caller.installation.id, key, new Date(now.getTime() - keyLifetime)],
  },
  {
    text: `select fingerprint, status, body from core.idempotency_keys
      where tenant_id = $1 and installation_id = $2 and key = $3`,
    values: [caller.tenant.id, caller.installation.id, key],
  },
]

/** The stored answer; null where the key is free again. Throws `idempotency_conflict` where it stands for another request. */
export function replay(stored: Row | undefined, { fingerprint }: Idempotency): OperationResponse | null {
  if (!stored) return null
  if (stored.fingerprint !== fingerprint) throw new ServiceError('idempotency_conflict')
  return { status: stored.status as number, body: stored.body as string, replayed: true }
}

export const inProgress = () => new ServiceError('idempotency_in_progress', { retryAfter: 1 })

export const isTaken = (error: unknown): boolean => {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === uniqueViolation && constraint === 'idempotency_keys_pkey'
}

/** What else is locked, a whole table say, is no other request with the key: the server names where it waited. */
export const isStillClaimed = (error: unknown): boolean => {
  const { code, where } = error as { code?: string; where?: string }
  return code === lockNotAvailable && where !== undefined && where.includes('idempotency_keys')
}

/** What is not an outcome of the request itself may turn out otherwise next time. Source: decisions.md, idempotency. */
export const isStored = ({ status }: ServiceError): boolean => status < 500 && ![401, 403, 429].includes(status)
