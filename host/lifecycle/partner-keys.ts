import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ulid } from 'ulid'
import { NotFoundException } from '../../partner-services/service/errors.ts'
import { inTransaction } from '../database/in-transaction.ts'
import type { Db } from './records.ts'

/** Begins with `ppk_` so that scanners can find leaks; 256 random bits follow. */
const newKey = (): string => `ppk_${randomBytes(32).toString('base64url')}`
const keyForm = /^ppk_[A-Za-z0-9_-]{43}$/
const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest()

export type NewPartner = {
  id: string
  name: string
  /** Shown once: the database has its hash only. */
  key: string
}

export async function createPartner(db: Db, name: string): Promise<NewPartner> {
  const partner = { id: ulid(), name, key: newKey() }
  await db.query(
    `with partner as (insert into core.partners (id, name) values ($1, $2) returning id)
      insert into core.partner_keys (partner_id, key_hash) select id, $3 from partner`,
    [partner.id, name, hashKey(partner.key)],
  )
  return partner
}

/**
 * Another key of a partner's; those before stay valid, or end at once, since one leaked. Throws NotFoundException where
 * there is no such partner.
 */
export async function addKey(
  pool: pg.Pool,
  id: string,
  { revoke, now }: { revoke: boolean; now: Date },
): Promise<NewPartner> {
  return inTransaction(pool, async (db) => {
    const { rows } = await db.query<{ name: string }>('select name from core.partners where id = $1 for update', [id])
    if (!rows[0]) throw new NotFoundException()
    if (revoke) await revokeKeys(db, id, now)
    const key = newKey()
    await db.query('insert into core.partner_keys (partner_id, key_hash) values ($1, $2)', [id, hashKey(key)])
    return { id, name: rows[0].name, key }
  })
}

/** All that a partner has. Answers how many. Throws NotFoundException where there is no such partner. */
export async function revokeKeys(db: Db, id: string, now: Date): Promise<number> {
  const { rowCount } = await db.query(
    'update core.partner_keys set revoked_at = $2 where partner_id = $1 and revoked_at is null',
    [id, now],
  )
  if (rowCount) return rowCount
  const partner = await db.query('select from core.partners where id = $1', [id])
  if (!partner.rowCount) throw new NotFoundException()
  return 0
}

/** The partner whose key it is; null for a key that is unknown or revoked. */
export async function partnerOfKey(db: Db, key: string): Promise<string | null> {
  if (!keyForm.test(key)) return null
  const { rows } = await db.query<{ partner_id: string }>(
    'select partner_id from core.partner_keys where key_hash = $1 and revoked_at is null',
    [hashKey(key)],
  )
  return rows[0]?.partner_id ?? null
}

export async function revokeKey(db: Db, key: string, now: Date): Promise<void> {
  await db.query('update core.partner_keys set revoked_at = $2 where key_hash = $1 and revoked_at is null', [
    hashKey(key),
    now,
  ])
}
