import type pg from 'pg'
import type { Cipher } from '../../partner-services/service/ports.ts'
import { catalogChanged } from '../../partner-services/service/event-names.ts'
import { textOf } from '../../partner-services/service/sql.ts'
import { inTransaction } from '../database/in-transaction.ts'
import { eventForSubscribers } from './event-writer.ts'

/**
 * Tells subscribers of every school that the scope catalog changed: once for each version, whichever host starts first.
 * A platform's first catalog is no change. Takes the system role's pool. Answers whether it was announced now.
 */
export async function announceCatalog(pool: pg.Pool, cipher: Cipher, now: Date, version: string): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    await client.query('lock table core.announced_catalogs in share row exclusive mode')
    const { rows } = await client.query<{ known: boolean; earlier: boolean }>(
      `select exists (select from core.announced_catalogs where version = $1) as known,
        exists (select from core.announced_catalogs) as earlier`,
      [version],
    )
    const { known, earlier } = rows[0]!
    if (known) return false
    await client.query('insert into core.announced_catalogs (version, announced_at) values ($1, $2)', [version, now])
    if (earlier) await announceToAll(client, cipher, now, version)
    return earlier
  })
}

async function announceToAll(client: pg.PoolClient, cipher: Cipher, now: Date, version: string): Promise<void> {
  const { rows } = await client.query<{ tenant_id: string }>(
    `select distinct i.tenant_id from core.installations i join core.apps a on a.id = i.app_id
      where i.status = 'active' and $1 = any (a.webhook_events)`,
    [catalogChanged],
  )
  for (const { tenant_id } of rows) {
    const statement = eventForSubscribers(cipher, now, tenant_id, {
      name: catalogChanged,
      recordId: version,
      data: { version },
    })
    await client.query(textOf(statement), [...statement.values])
  }
}
