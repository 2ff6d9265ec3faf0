import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startDeliveryWorker } from '../../host/events/delivery-worker.ts'
import { webhookHeaders } from '../../host/events/signature.ts'
import { createWebhookClient } from '../../host/events/webhook-client.ts'
import { operations } from '../../partner-services/registry.ts'
import { callOperation } from '../../partner-services/service/call-operation.ts'
import type { Caller } from '../../partner-services/service/caller.ts'
import { cipher, logger, loopbackAllowed, type Platform, startPlatform, subscribe } from '../events/support.ts'
import { createSchool, type InstalledApp, installApp, type School } from '../support/school.ts'
import { type BenchLine, median } from './bench-line.ts'
import { fillBacklog, openDeliveries, subscribers } from './events-backlog.ts'

const receivers = 50
const deliveries = 10_000
const creates = 1_500
const rounds = 3
const createStudent = operations.find(({ name }) => name === 'education.students.create')!

/** What an event costs the change that makes it, and how fast deliveries go out beside the bare HTTP client. */
export async function run(): Promise<BenchLine[]> {
  const platform = await startPlatform()
  const receiver = spawn(process.execPath, [fileURLToPath(new URL('./events-receiver.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(receiver.stdout, 'data')) as [Buffer]
    const port = Number(line.toString())
    return [await enqueueing(platform), await sending(platform, port)]
  } finally {
    receiver.kill()
    await platform.close()
  }
}

/** Creates in turns, in a school with a subscriber and in one without: whatever the machine does hits both alike. */
async function enqueueing(platform: Platform): Promise<BenchLine> {
  const { admin } = platform.database
  const [heard, unheard] = [await createSchool(admin), await createSchool(admin)]
  const callers = [
    callerOf(heard, await subscribe(platform, 'https://example.com/', { school: heard })),
    callerOf(unheard, await installApp(admin, unheard)),
  ]
  const times: [number[], number[]] = [[], []]
  for (let n = 0; n < creates * 2; n++) {
    const start = process.hrtime.bigint()
    await callOperation(
      createStudent,
      { full_name: `Student ${n}` },
      { caller: callers[n % 2]!, ports: platform.ports },
    )
    times[n % 2]!.push(Number(process.hrtime.bigint() - start) / 1_000)
  }
  await admin.query('truncate core.deliveries, core.events')
  const [ours, peer] = times.map((all) => median(all.slice(creates / 10))) as [number, number]
  return result('student create with a subscriber beside one without', ours, peer, 1.15, 'lower', 'µs')
}

async function sending(platform: Platform, port: number): Promise<BenchLine> {
  const apps = await subscribers(platform, receivers, port)
  const ours: number[] = []
  const peer: number[] = []
  for (let round = 0; round < rounds; round++) {
    await fillBacklog(platform, apps, deliveries)
    await platform.database.admin.query('vacuum analyze core.deliveries')
    peer.push(await bareLoop(port))
    ours.push(await drain(platform))
  }
  // Either goal is enough: 1,500 a second, or 0.6 of what the bare client reaches.
  const wanted = Math.min(1_500, 0.6 * median(peer))
  return result('webhook deliveries beside the lesser goal', median(ours), wanted, 1, 'higher', 'per second')
}

async function drain(platform: Platform): Promise<number> {
  const start = performance.now()
  const connection = platform.database.connection.system
  const worker = startDeliveryWorker({ connection, cipher, logger, policy: loopbackAllowed })
  while ((await openDeliveries(platform)) > 0) await new Promise((done) => setTimeout(done, 50))
  const seconds = (performance.now() - start) / 1_000
  await worker.stop()
  return deliveries / seconds
}

/** The same client and the same number of requests at once, with a finished body and finished headers. */
async function bareLoop(port: number): Promise<number> {
  const client = createWebhookClient({ policy: loopbackAllowed })
  const body = JSON.stringify({ id: 'x'.repeat(36), data: { student: { full_name: 'نورة السالم' } } }).padEnd(330)
  const headers = webhookHeaders('whsec_bench', new Date(), {
    deliveryId: 'd',
    event: 'education.students.created',
    body,
  })
  let next = 0
  const start = performance.now()
  const caller = async () => {
    while (next < deliveries) await client.post(`http://127.0.0.1:${port}/${next++ % receivers}`, headers, body)
  }
  await Promise.all(Array.from({ length: 64 }, caller))
  const seconds = (performance.now() - start) / 1_000
  client.close()
  return deliveries / seconds
}

const callerOf = (school: School, app: InstalledApp): Caller => ({
  tenant: { ...school, sandbox: false },
  app: { slug: app.slug, integrationType: 'external' },
  installation: { id: app.installationId, rateLimited: false },
  scopes: new Set(['education.students.write']),
  viewer: null,
  locale: 'en',
})

function result(
  name: string,
  ours: number,
  peer: number,
  goal: number,
  better: 'higher' | 'lower',
  unit: string,
): BenchLine {
  const round = (value: number) => Math.round(value * 100) / 100
  return { name, ratio: round(ours / peer), goal, better, ours: round(ours), peer: round(peer), unit }
}
