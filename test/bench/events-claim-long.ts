import { claimDeliveries } from '../../host/events/claim.ts'
import { type Platform, startPlatform } from '../events/support.ts'
import { type BenchLine, median } from './bench-line.ts'
import { fillBacklog, subscribers } from './events-backlog.ts'

const apps = 10
const slots = 8
const claims = 10
const few = 1_000
const many = 1_000_000

/** Claiming the next batch of 80 deliveries while a million wait, beside a thousand. */
export async function run(): Promise<BenchLine[]> {
  const platform = await startPlatform()
  try {
    const receivers = await subscribers(platform, apps, 9)
    await fillBacklog(platform, receivers, few)
    const peer = await claimTime(platform)
    await multiply(platform)
    const ours = await claimTime(platform)
    const ratio = Math.round((ours / peer) * 100) / 100
    return [
      { name: 'claim with 1,000,000 pending beside 1,000', ratio, goal: 2, better: 'lower', ours, peer, unit: 'ms' },
    ]
  } finally {
    await platform.close()
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

async function claimTime(platform: Platform): Promise<number> {
  await platform.database.admin.query('vacuum analyze core.deliveries')
  const times: number[] = []
  for (let n = 0; n < claims; n++) {
    const start = performance.now()
    const claimed = await claimDeliveries(platform.system, new Date(), { standard: slots, byApp: new Map() })
    times.push(performance.now() - start)
    if (claimed.length !== apps * slots) throw new Error(`claimed ${claimed.length}`)
  }
  return Math.round(median(times) * 100) / 100
}
