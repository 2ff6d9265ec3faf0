import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Settings } from './config.ts'
import { openProvisioning } from './database/provisioning.ts'
import { createRunnerPool } from './isolates/pool/pool.ts'
import { createLogger } from './log.ts'
import { type ManagedProcess, startProcess } from './processes/child-process.ts'
import type { PublisherStart } from './publishing/main.ts'
import { readHostKey } from './security/host-key.ts'
import { publicSigningKey, webKeys } from './security/keys.ts'
import { lockDataFolder } from './supervisor/data-lock.ts'
import { refuseTakenPort } from './supervisor/free-port.ts'
import { startMetrics } from './supervisor/metrics.ts'
import { keepCredential, newOperatorToken } from './supervisor/operator-credential.ts'
import { startWebProcesses } from './supervisor/web-processes.ts'
import type { WebStart } from './web/main.ts'
import type { CoreConnection } from './database/prepare.ts'

export type RunningHost = { url: string; stop(): Promise<void> }

export type HostOptions = {
  /** Publish and install the sample modules of this repository. */
  samples: boolean
}

/** The supervisor: starts every process of a host, watches over them, and ends them in order. */
export async function startHost(settings: Settings, options: HostOptions): Promise<RunningHost> {
  const log = createLogger(settings)
  const cleanups: (() => unknown)[] = []
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  try {
    await refuseTakenPort(settings)
    const lock = lockDataFolder(settings.DATA_DIR)
    cleanups.push(lock.release)
    const hostKey = readHostKey(settings)
    const poolStarting = createRunnerPool({
      runners: settings.RUNNERS,
      log: ({ level, message }) => log[level](message),
    })
    poolStarting.catch(() => {})
    cleanups.push(async () => (await poolStarting.catch(() => null))?.close())
    const provisioning = await openProvisioning(settings)
    cleanups.push(provisioning.close)

    const publisher = startProcess(new URL('./publishing/main.ts', import.meta.url))
    cleanups.push(publisher.stop)
    const { connection, missing } = await preparePlatform(
      publisher,
      settings,
      provisioning.credential,
      hostKey,
      provisioning.embedded,
    )
    const pool = await poolStarting
    pool.attachWeb(publisher.process)
    log.info({ inForce: pool.jail.inForce, missing: [...pool.jail.missing, ...missing] }, 'walls around partner code')

    const operatorToken = newOperatorToken()
    const start = (port: number): WebStart => ({
      settings: { ...settings, PORT: port },
      connection,
      keys: webKeys(hostKey),
      publicKey: publicSigningKey(hostKey),
      operatorTokenHash: createHash('sha256').update(operatorToken).digest('hex'),
      embedded: provisioning.embedded,
    })
    const web = await startWebProcesses({
      count: settings.WEB_PROCESSES ?? Math.max(1, availableParallelism() - 1),
      pool,
      methods: {
        publisher: ({ method, argument }: { method: string; argument: unknown }) =>
          publisher.rpc.call(method, argument),
      },
      start,
      port: settings.PORT,
      log: (message) => log.error(message),
    })
    cleanups.push(web.stop)
    if (options.samples) await publisher.rpc.call('publishSamples')
    cleanups.push(await startMetrics(settings, web))
    cleanups.push(keepCredential({ url: web.url, token: operatorToken }).forget)
    return { url: web.url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function preparePlatform(
  publisher: ManagedProcess,
  settings: Settings,
  credential: PublisherStart['credential'],
  hostKey: Buffer,
  embedded: boolean,
): Promise<{ connection: CoreConnection; missing: string[] }> {
  return publisher.rpc.call('start', { settings, credential, hostKey, embedded } satisfies PublisherStart)
}
