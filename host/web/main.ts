import cluster from 'node:cluster'
import { collectDefaultMetrics, register } from 'prom-client'
import { createServer } from '../http/server.ts'
import { linksFromSupervisor } from '../isolates/client/supervisor-links.ts'
import { createLogger } from '../log.ts'
import { runAsChild } from '../processes/child-process.ts'
import { createWebContext } from './create-web-context.ts'
import { keepRequestsYoung } from './engine.ts'
import type { WebStart } from './web-start.ts'

/** How finely the event loop's lag is measured: at prom-client's own 10 a process at rest uses 1 % of a core for that. */
const lagResolutionMs = 50

// The supervisor hands over sockets at once: whoever listens late misses them.
const links = linksFromSupervisor(process)

runAsChild<WebStart, { url: string; port: number }>(async (start, supervisor) => {
  keepRequestsYoung()
  const logger = createLogger(start.settings)
  collectDefaultMetrics({ eventLoopMonitoringPrecision: lagResolutionMs })
  const context = createWebContext({ ...start, logger, links, publisher: supervisor })
  const server = await createServer(context)
  const { HOST, PORT } = start.settings
  await server.listen({ host: HOST, port: PORT, exclusive: false })
  const { port } = server.server.address() as { port: number }
  return {
    answer: { url: `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`, port },
    methods: { metrics: () => register.getMetricsAsJSON(), alive: () => true },
    async stop() {
      await server.close()
      await context.close()
      links.close()
      cluster.worker?.disconnect()
    },
  }
})
