import cluster from 'node:cluster'
import { collectDefaultMetrics, register } from 'prom-client'
import type { Settings } from '../config.ts'
import type { CoreConnection } from '../database/prepare.ts'
import { createServer } from '../http/server.ts'
import { linksFromSupervisor } from '../isolates/client/supervisor-links.ts'
import { createLogger } from '../log.ts'
import { runAsChild } from '../processes/child-process.ts'
import type { WebKeys } from '../security/keys.ts'
import { keepRequestsYoung } from './engine.ts'
import { createWebContext } from './web-context.ts'

/** What the supervisor starts a web process with. No provisioning credential and no signing key is in it. */
export type WebStart = {
  settings: Settings
  connection: CoreConnection
  keys: WebKeys
  /** PEM of the key that bundles are signed with. */
  publicKey: string
  /** SHA-256, in hex, of the operator's token. */
  operatorTokenHash: string
  embedded: boolean
}

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
    methods: { metrics: () => register.getMetricsAsJSON() },
    async stop() {
      await server.close()
      await context.close()
      links.close()
      cluster.worker?.disconnect()
    },
  }
})
