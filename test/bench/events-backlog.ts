import { sealEventData } from '../../host/events/event-data.ts'
import { uuid7 } from '../../host/events/uuid7.ts'
import { cipher, type Platform, type Subscriber, subscribe } from '../events/support.ts'
import { createSchool } from '../support/school.ts'

const student = {
  id: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C',
  full_name: 'نورة السالم',
  national_id: '1098765432',
  gender: 'female',
}

/** Apps of one school, each with a path of its own on the receiver. */
export async function subscribers(platform: Platform, count: number, port: number): Promise<Subscriber[]> {
  const school = await createSchool(platform.database.admin)
  const made: Subscriber[] = []
  for (let n = 0; n < count; n++) made.push(await subscribe(platform, `http://127.0.0.1:${port}/${n}`, { school }))
  return made
}

/** Pending deliveries, spread evenly over the apps, as if `count` changes had been made: each with an event of its own. */
export async function fillBacklog({ database }: Platform, apps: Subscriber[], count: number): Promise<void> {
  const now = new Date()
  const { tenantId } = apps[0]!
  const events = Array.from({ length: count }, () => {
    const id = uuid7(now)
    return { id, data: sealEventData(cipher, tenantId, id, { student }) }
  })
  await database.admin.query(
    `insert into core.events (tenant_id, id, name, created_at, data_encrypted)
      select $1, id, 'education.students.created', $2, data from unnest($3::uuid[], $4::bytea[]) e(id, data)`,
    [tenantId, now, events.map(({ id }) => id), events.map(({ data }) => data)],
  )
  await database.admin.query(
    `insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
      select $1, ($3::text[])[1 + n % $5], ($4::text[])[1 + n % $5], id, 'education.students.created', 'r' || n, $2, $2
      from unnest($6::uuid[]) with ordinality e(id, n)`,
    [
      ...[tenantId, now, apps.map(({ installationId }) => installationId), apps.map(({ appId }) => appId)],
      ...[apps.length, events.map(({ id }) => id)],
    ],
  )
}

export async function openDeliveries({ database }: Platform): Promise<number> {
  const { rows } = await database.admin.query<{ open: number }>(
    'select count(*)::int as open from core.deliveries where due_at is not null',
  )
  return rows[0]!.open
}
