import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Received = {
  headers: Record<string, string>
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads bodies of every shape
  body: any
  signed: boolean
}

export type Receiver = {
  url: string
  received: Received[]
  /** Waits until so many webhooks came. */
  until(count: number, limit?: number): Promise<void>
  close(): Promise<void>
}

export type Behaviour = (request: IncomingMessage, response: ServerResponse, received: Received) => void

const answer: Behaviour = (_request, response) => void response.writeHead(200).end('ok')

/** A partner's server on a free port. It notes every webhook and whether its signature is right, then behaves as told. */
export async function startReceiver(secret: string, behave: Behaviour = answer): Promise<Receiver> {
  const received: Received[] = []
  let arrived = () => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      const headers = request.headers as Record<string, string>
      const expected = createHmac('sha256', secret).update(`${headers['x-platform-timestamp']}.${raw}`).digest('hex')
      const one = { headers, raw, body: JSON.parse(raw), signed: headers['x-platform-signature'] === expected }
      received.push(one)
      arrived()
      behave(request, response, one)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    until: (count, limit = 10_000) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${received.length} of ${count} webhooks came`)), limit)
        arrived = () => {
          if (received.length < count) return
          clearTimeout(timer)
          resolve()
        }
        arrived()
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
