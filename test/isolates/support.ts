import { createHash } from 'node:crypto'
import {
  createIsolateClient,
  type IsolateClient,
  type IsolateClientOptions,
} from '../../host/isolates/client/client.ts'
import type { GuestAnswer, GuestBundle, GuestRequest } from '../../host/isolates/client/types.ts'
import type { Limits } from '../../host/isolates/limits.ts'
import { createRunnerPool, type RunnerPool, type RunnerPoolOptions } from '../../host/isolates/pool/pool.ts'

export type Sandbox = {
  pool: RunnerPool
  client: IsolateClient
  strikes: string[]
  warnings: string[]
  /** Calls `entry` of a module given as the source of its `handle`. */
  run: (name: string, handle: string, request?: Partial<GuestRequest>) => Promise<GuestAnswer>
  close: () => Promise<void>
}

export function bundleOf(code: string): GuestBundle {
  return { code, hash: createHash('sha256').update(code).digest('hex') }
}

/** A bundle whose handler is the given expression. */
export const moduleOf = (handle: string) => `globalThis.__partner_module__ = { handle: ${handle} }`

export function requestOf(name: string, code: string, request: Partial<GuestRequest> = {}): GuestRequest {
  return {
    installation: { id: name, app: name, version: '1.0.0', tenantId: `tenant of ${name}` },
    loadBundle: async () => bundleOf(code),
    entry: 'route',
    input: 'null',
    serve: async () => 'null',
    ...request,
  }
}

/** A real pool of jailed runners and a client in this process. */
export async function startSandbox(
  limits: Partial<Limits> = {},
  options: Partial<IsolateClientOptions> & Pick<RunnerPoolOptions, 'runners' | 'spares' | 'jail'> = {},
): Promise<Sandbox> {
  const pool = await createRunnerPool({
    limits,
    runners: options.runners ?? 1,
    spares: options.spares ?? 1,
    ...(options.jail ? { jail: options.jail } : {}),
  })
  const strikes: string[] = []
  const warnings: string[] = []
  const client = createIsolateClient({
    links: pool.links(),
    limits,
    onStrike: (installation) => strikes.push(installation.id),
    log: (line) => warnings.push(line.message),
    ...options,
  })
  return {
    pool,
    client,
    strikes,
    warnings,
    run: (name, handle, request) => client.call(requestOf(name, moduleOf(handle), request)),
    async close() {
      client.close()
      await pool.close()
    },
  }
}

/** A handler of this body that answers the entry `again` with its name: so a test sees that the next call works. */
export const unlessAgain = (body: string) =>
  `async (entry, input, call) => { if (entry === 'again') return entry; ${body} }`
