import { createServer } from 'node:http'
import { AggregatorRegistry, Gauge } from 'prom-client'
import type { Settings } from '../config.ts'
import type { WebProcesses } from './web-processes.ts'

/** Prometheus text of all web processes that answer together, on a loopback listener of its own. Nothing where no port is set. */
export async function startMetrics(settings: Settings, web: WebProcesses): Promise<() => Promise<void>> {
  if (settings.METRICS_PORT === undefined) return async () => {}
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    const { answers, silent } = await web.callAll<object>('metrics')
    const registry = AggregatorRegistry.aggregate(answers)
    tellAnswered(registry, { answered: answers.length, silent })
    response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      .end(await registry.metrics())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.METRICS_PORT, '127.0.0.1', resolve)
  })
  return () =>
    new Promise((done) => {
      server.close(() => done())
      // Whoever is silent, or whose scrape is under way, would keep it open, and the host with it.
      server.closeAllConnections()
    })
}

/** One that hangs is missing from every other number: this one says so. */
function tellAnswered(
  registry: ReturnType<typeof AggregatorRegistry.aggregate>,
  counts: { answered: number; silent: number },
): void {
  const gauge = new Gauge({
    name: 'partner_web_processes',
    help: 'Web processes by whether they answered this request within two seconds.',
    labelNames: ['state'],
    registers: [],
  })
  for (const [state, count] of Object.entries(counts)) gauge.set({ state }, count)
  registry.registerMetric(gauge)
}
