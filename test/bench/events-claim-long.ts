import { claimDeliveries } from '../../host/events/claim.ts'
import { type Platform, startPlatform } from '../events/support.ts'
import { type BenchLine, median } from './bench-line.ts'
import { fillBacklog, subscribers } from './events-backlog.ts'

const apps = 10
const slots = 2
const claims = 40
const few = 1_000
const many = 1_000_000

/**
 * Claiming the next batch of 20 deliveries while a million wait, beside a thousand: in two databases and by turns, so
 * that whatever the machine does in between hits both alike.
 */
export async function run(): Promise<BenchLine[]> {
  const platforms = [await startPlatform(), await startPlatform()] as const
  try {
    for (const platform of platforms) await fillBacklog(platform, await subscribers(platform, apps, 9), few)
    await multiply(platforms[0])
    for (const { database } of platforms) await database.admin.query('vacuum analyze core.deliveries')
    const times: [number[], number[]] = [[], []]
    for (let n = 0; n < claims * 2; n++) times[n % 2]!.push(await claimTime(platforms[n % 2]!))
    const [ours, peer] = times.map((all) => Math.round(median(all) * 100) / 100) as [number, number]
    const ratio = Math.round((ours / peer) * 100) / 100
    return [
      { name: 'claim with 1,000,000 pending beside 1,000', ratio, goal: 2, better: 'lower', ours, peer, unit: 'ms' },
    ]
  } finally {
    for (const platform of platforms) await platform.close()
  }
}

/** The deliveries there are, over and over, each of a record of its own. */
async function multiply({ database }: Platform): Promise<void> {
  await database.admin.query(
    `insert into core.deliveries (tenant_id, installation_id, app_id, event_id, event, record_id, due_at, created_at)
      select tenant_id, installation_id, app_id, event_id, event, record_id || '-' || n, due_at, created_at
      from core.deliveries cross join generate_series(1, $1) n`,
    [many / few - 1],
  )
}

async function claimTime({ system }: Platform): Promise<number> {
  const start = performance.now()
  const { claimed } = await claimDeliveries(system, new Date(), { standard: slots, byApp: new Map() })
  const time = performance.now() - start
  if (claimed.length !== apps * slots) throw new Error(`claimed ${claimed.length}`)
  return time
}
