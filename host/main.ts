import { createHash } from 'node:crypto'
import { type Settings, webProcessCount, withoutSecrets } from './config.ts'
import { isFirstStart, openProvisioning } from './database/provisioning.ts'
import { createRunnerPool, type RunnerPool } from './isolates/pool/pool.ts'
import { createLogger } from './log.ts'
import { readHostKey } from './security/host-key.ts'
import { publicSigningKey, webKeys } from './security/keys.ts'
import { lockDataFolder } from './supervisor/data-lock.ts'
import { startWorker } from './supervisor/delivery-worker.ts'
import { findPort } from './supervisor/free-port.ts'
import { startMetrics } from './supervisor/metrics.ts'
import { keepCredential, newOperatorToken, prepareCredentials } from './supervisor/operator-credential.ts'
import { startPublisher } from './supervisor/publisher.ts'
import { startWebProcesses } from './supervisor/web-processes.ts'
import type { WebStart } from './web/web-start.ts'

export type RunningHost = {
  url: string
  /** Ends everything. Rejects where a step failed, which is logged, once all others are done. */
  stop(): Promise<void>
}

export type HostOptions = {
  /** Publish and install the sample modules of this repository. */
  samples: boolean
}

/** The supervisor: starts every process of a host, watches over them, and ends them in order. */
export async function startHost(settings: Settings, options: HostOptions): Promise<RunningHost> {
  const log = createLogger(settings)
  const cleanups: (() => unknown)[] = []
  // A signal to the whole group ends processes before their turn comes: from then on none is started in their place.
  const ending = new AbortController()
  const stop = async () => {
    ending.abort()
    const failures: unknown[] = []
    for (const cleanup of cleanups.splice(0).reverse()) {
      try {
        await cleanup()
      } catch (error) {
        log.error({ err: error }, 'the host goes on ending: one step failed')
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'the host did not end in order')
  }
  try {
    const port = await findPort(settings)
    const shared = { ...withoutSecrets(settings), PORT: port }
    prepareCredentials()
    const lock = lockDataFolder(settings.DATA_DIR)
    cleanups.push(lock.release)
    const firstStart = await isFirstStart(settings)
    const hostKey = readHostKey(settings, firstStart)
    const provisioning = openProvisioning(settings, log)
    cleanups.push(async () => (await settled(provisioning))?.close())

    // Processes load their code while the database starts: each waits for what it needs, none for its turn.
    const pool = Promise.withResolvers<RunnerPool>()
    cleanups.push(async () => (await settled(pool.promise))?.close())
    const publisher = startPublisher({
      start: provisioning.then(({ credential, embedded }) => ({
        settings: shared,
        credential,
        hostKey,
        embedded,
      })),
      pool: pool.promise,
      ending: ending.signal,
      log: (message) => log.error(message),
    })
    cleanups.push(publisher.stop)
    if (options.samples && firstStart) publisher.readSamplesAhead()
    const operatorToken = newOperatorToken()
    const web = startWebProcesses({
      count: webProcessCount(settings),
      pool: pool.promise,
      methods: {
        publisher: ({ method, argument }: { method: string; argument: unknown }) => publisher.call(method, argument),
      },
      start: Promise.all([provisioning, publisher.prepared]).then(([{ embedded }, { connection }]) => {
        return {
          settings: shared,
          connection,
          keys: webKeys(hostKey),
          publicKey: publicSigningKey(hostKey),
          operatorTokenHash: createHash('sha256').update(operatorToken).digest('hex'),
          embedded,
        } satisfies WebStart
      }),
      ending: ending.signal,
      log: (message) => log.error(message),
    })
    cleanups.push(web.stop)
    const serving = Promise.withResolvers<void>()
    pool.resolve(
      createRunnerPool({
        runners: settings.RUNNERS,
        users: webProcessCount(settings) + 1,
        spareAfter: serving.promise,
        ending: ending.signal,
        log: ({ level, message }) => log[level](message),
      }),
    )

    const { connection, missing, missingOfBuilders } = await publisher.prepared
    const { jail } = await pool.promise
    const ofBuilders = missingOfBuilders
      .filter((wall) => !jail.missing.includes(wall))
      .map((wall) => `of builders, ${wall}`)
    log.info(
      { inForce: jail.inForce, missing: [...jail.missing, ...ofBuilders, ...missing] },
      'walls around partner code',
    )
    const sandbox = publisher.callAtStart(options.samples ? 'publishSamples' : 'schoolSeeded')
    const [{ url }] = await Promise.all([web.ready, sandbox])
    cleanups.push(await startMetrics(settings, web))
    cleanups.push(keepCredential({ url, token: operatorToken, partnersPath: settings.PARTNERS_PATH }).forget)
    // What no request waits for starts once requests are served.
    serving.resolve()
    const { credential } = await provisioning
    const worker = startWorker(
      {
        settings: shared,
        connection,
        dataKey: webKeys(hostKey).data,
        forbiddenPorts: [port, Number(credential.port), settings.METRICS_PORT ?? 0],
      },
      ending.signal,
      (message) => log.error(message),
    )
    // Webhooks under way may take seconds: nothing is accepted meanwhile.
    cleanups.push(() => Promise.all([worker.stop(), web.stop()]))
    return { url, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}

const settled = <Value>(promise: Promise<Value>): Promise<Value | null> => promise.catch(() => null)
