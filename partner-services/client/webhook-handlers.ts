import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  createDeliveryMemory,
  type DeliveryMemory,
  one,
  verifyWebhook,
  type Webhook,
  type WebhookHeaders,
  WebhookRefusedError,
} from './verify-webhook.ts'

export type HandlerOptions = {
  secret: string
  /** What to do with a genuine webhook. Where it rejects, the platform is answered 500 and tries again. */
  onWebhook: (webhook: Webhook) => void | Promise<void>
  toleranceSeconds?: number
  seen?: DeliveryMemory
  clock?: () => Date
}

const largestBody = 1_048_576

type Receiving = HandlerOptions & {
  seen: DeliveryMemory
  /** Of what is being handled, the status that it will end with, by delivery id. */
  handling: Map<string, Promise<number>>
}

const receiving = (options: HandlerOptions): Receiving => ({
  ...options,
  seen: options.seen ?? createDeliveryMemory(options.clock),
  handling: new Map(),
})

/** Answers with a status: 200 handled or seen before, 401 refused, 500 the handler failed. Never rejects. */
async function receive(options: Receiving, headers: WebhookHeaders, rawBody: Buffer): Promise<number> {
  const deliveryId = one(headers, 'x-platform-delivery-id')
  try {
    const webhook = await verifyWebhook({ ...options, headers, rawBody })
    const handled = handle(options, webhook, deliveryId).catch(() => 500)
    options.handling.set(deliveryId, handled)
    return await handled.finally(() => options.handling.delete(deliveryId))
  } catch (error) {
    if (!(error instanceof WebhookRefusedError)) return 500
    // The platform asks again after 30 seconds, when a slow handler may still be at it and fail later.
    return (error.reason === 'replayed' && (await options.handling.get(deliveryId))) || error.status
  }
}

async function handle({ onWebhook, seen }: Receiving, webhook: Webhook, deliveryId: string): Promise<number> {
  try {
    await onWebhook(webhook)
    return 200
  } catch {
    await seen.forget(deliveryId)
    return 500
  }
}

/** A request listener of `node:http`. It never rejects: nobody awaits it, and a process would end over that. */
export function createWebhookListener(options: HandlerOptions) {
  const settings = receiving(options)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
