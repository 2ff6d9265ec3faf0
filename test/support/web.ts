import { readSettings, type SharedSettings, withoutSecrets } from '../../host/config.ts'
import type { ModuleCalls } from '../../host/embedded-apps/module-calls.ts'
import { createServer } from '../../host/http/server.ts'
import { createWebContext } from '../../host/web/create-web-context.ts'
import type { RunnerLinks } from '../../host/isolates/links.ts'
import { publicSigningKey, webKeys } from '../../host/security/keys.ts'
import { testHostKey } from './cluster.ts'
import type { TestDatabase } from './database.ts'
import { createTestLogger } from './run-logs.ts'

export type TestWeb = {
  url: string
  /** A request with a token; a body becomes JSON. */
  call(path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

export type CallOptions = { token?: string; method?: string; body?: unknown; headers?: Record<string, string> }
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
export type Answer = { status: number; headers: Headers; body: any }

/** For tests of doors that run no partner code. */
const noRunners: RunnerLinks = { subscribe: () => () => {}, condemn: () => {} }

/** What a web process serves with, over a test database. */
export function testWebContext(
  database: TestDatabase,
  options: { settings?: Partial<SharedSettings>; clock?: () => Date } = {},
) {
  return createWebContext({
    settings: { ...withoutSecrets(readSettings({})), ...options.settings },
    connection: database.connection,
    keys: { ...webKeys(testHostKey), data: testHostKey, runtime: testHostKey },
    publicKey: publicSigningKey(testHostKey),
    operatorTokenHash: '00'.repeat(32),
    embedded: true,
    logger: createTestLogger(),
    links: noRunners,
    publisher: { call: () => Promise.reject(new Error('this web server has no publisher')) },
    ...(options.clock ? { clock: options.clock } : {}),
  })
}

/** A real web server over a test database, on a free port of the loopback interface. */
export async function startWeb(
  database: TestDatabase,
  options: { settings?: Partial<SharedSettings>; clock?: () => Date; moduleCalls?: ModuleCalls } = {},
): Promise<TestWeb> {
  const context = testWebContext(database, options)
  let server: Awaited<ReturnType<typeof createServer>> | null = null
  const close = async () => {
    await server?.close()
    await context.close()
  }
  let url: string
  try {
    server = await createServer({
      ...context,
      ...(options.moduleCalls ? { moduleCalls: options.moduleCalls } : {}),
    })
    url = await server.listen({ host: '127.0.0.1', port: 0 })
  } catch (error) {
    // What a failed start leaves open would keep the test's process from ending.
    await close()
    throw error
  }
  return {
    url,
    async call(path, { token, method = 'GET', body, headers = {} } = {}) {
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    },
    close,
  }
}
