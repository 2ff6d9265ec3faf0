import type { IncomingMessage, ServerResponse } from 'node:http'
import { createDeliveryMemory, type DeliveryMemory } from './delivery-memory.ts'
import { verifyWebhook, type Webhook, type WebhookHeaders, WebhookRefusedError } from './verify-webhook.ts'

export type HandlerOptions = {
  secret: string
  /**
   * What to do with a genuine webhook, in at most ten seconds: the platform waits no longer. Where it rejects, the platform
   * is answered 500 and tries again.
   */
  onWebhook: (webhook: Webhook) => void | Promise<void>
  toleranceSeconds?: number
  /** One of this process unless given: servers behind one address share one of yours. */
  seen?: DeliveryMemory
  clock?: () => Date
}

const largestBody = 1_048_576

type Receiving = HandlerOptions & { seen: DeliveryMemory }

const receiving = (options: HandlerOptions): Receiving => ({
  ...options,
  seen: options.seen ?? createDeliveryMemory(options.clock),
})

/** Answers with a status: 200 handled, now or before, 401 refused, 500 the handler failed, 503 another is at it. Never rejects. */
async function receive(options: Receiving, headers: WebhookHeaders, rawBody: Buffer): Promise<number> {
  try {
    return await handle(options, await verifyWebhook({ ...options, headers, rawBody }))
  } catch (error) {
    return error instanceof WebhookRefusedError ? error.status : 500
  }
}

/** It is known as done only once it is: what a server took and died over is handled at a later attempt. */
async function handle({ onWebhook, seen }: Receiving, webhook: Webhook): Promise<number> {
  try {
    await onWebhook(webhook)
  } catch {
    await seen.forget(webhook.id)
    return 500
  }
  await seen.done(webhook.id)
  return 200
}

export type WebhookListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** A request listener of `node:http`. It never rejects: nobody awaits it, and a process would end over that. */
export function createWebhookListener(options: HandlerOptions): WebhookListener {
  const settings = receiving(options)
  return async (request, response) => {
    // A sender that went away in the middle of its body waits for no answer.
    const body = await readBody(request).catch(() => null)
    if (body === null) return void response.destroy()
    response.writeHead(body === 'too long' ? 413 : await receive(settings, request.headers, body)).end()
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer | 'too long'> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > largestBody) return 'too long'
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** What we use of a Fastify server; this package depends on none. */
export type FastifyLike = {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: Error | null, body?: Buffer) => void) => void,
  ): unknown
  post(
    path: string,
    handler: (
      request: { headers: WebhookHeaders; body: unknown },
      reply: { code(status: number): { send(body?: string): unknown } },
    ) => Promise<unknown>,
  ): unknown
  register(plugin: (server: never) => Promise<void>): unknown
}

/** Adds `POST <path>` to a Fastify server, in a context of its own: other routes keep their JSON parser. */
export function registerWebhookRoute(server: FastifyLike, path: string, options: HandlerOptions): void {
  const settings = receiving(options)
  server.register(async (scope: FastifyLike) => {
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: largestBody },
      (_request, body, done) => done(null, body),
    )
    scope.post(path, async ({ headers, body }, reply) =>
      reply.code(await receive(settings, headers, body as Buffer)).send(''),
    )
  })
}
