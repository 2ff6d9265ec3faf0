import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { type CallPolicy, checkTarget, ForbiddenTargetError, guardedLookup, portOf } from './public-address.ts'

/** What came of one request. `status` is null where no answer came. */
export type Outcome = {
  ok: boolean
  status: number | null
  error: string | null
  /** Whether the receiver may have the body, whatever it answered. */
  isSent: boolean
  headers: Record<string, string>
  /** The first 4 KiB of the answer. */
  body: string
  durationMs: number
}

export type WebhookClient = {
  post(url: string, headers: Record<string, string>, body: string): Promise<Outcome>
  close(): void
}

/** Milliseconds from the first byte of effort to the answer's status. Source: specification, limits. */
export const answerTime = 10_000
const keptBytes = 4_096
/** An answer longer than this is cut off, at the price of the connection. */
const readBytes = 65_536

type Options = {
  policy: CallPolicy
  timeLimit?: number
  lookupFor?: (port: number) => LookupFunction
}

/** Posts over kept-alive connections. Follows no redirect, never waits longer than the limit, never rejects. */
export function createWebhookClient(options: Options): WebhookClient {
  const { policy, timeLimit = answerTime, lookupFor = (port: number) => guardedLookup(port, policy) } = options
  // No limit for a host: apps of many partners share one, and each app's lane limits its own requests.
  const keeping = agentsOf({ keepAlive: true, maxFreeSockets: 16, scheduling: 'lifo' })
  const connecting = agentsOf({ keepAlive: false })
  const send = (url: URL, headers: Record<string, string>, body: string, fresh: boolean) => {
    const secure = url.protocol === 'https:'
    const agents = fresh ? connecting : keeping
    return (secure ? https : http).request(url, {
      method: 'POST',
      agent: agents[secure ? 'https:' : 'http:'],
      lookup: lookupFor(portOf(url)),
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    })
  }
  return {
    async post(address, headers, body) {
      const startedAt = performance.now()
      const elapsed = () => Math.round(performance.now() - startedAt)
      const failed = (error: string): Outcome => ({
        ok: false,
        status: null,
        isSent: false,
        headers: {},
        body: '',
        error,
        durationMs: elapsed(),
      })
      let url: URL
      try {
        url = new URL(address)
        checkTarget(url, policy)
      } catch (error) {
        return failed(error instanceof ForbiddenTargetError ? error.message : 'the address is no URL')
      }
      for (let [fresh, isSent] = [false, false]; ; fresh = true) {
        const request = send(url, headers, body, fresh)
        const outcome = await exchange(request, body, timeLimit - elapsed())
        isSent ||= outcome.isSent
        // A kept-alive connection that the receiver closed meanwhile carried nothing: not an attempt of its own. It may
        // have closed all that are kept, so the next is a new one.
        const stale = outcome.error === 'ECONNRESET' && request.reusedSocket && !fresh
        if (!stale) return { ...outcome, isSent, durationMs: elapsed() }
      }
    },
    close() {
      for (const agents of [keeping, connecting]) for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const agentsOf = (settings: http.AgentOptions) => ({
  'http:': new http.Agent(settings),
  'https:': new https.Agent(settings),
})

type Exchange = Omit<Outcome, 'durationMs'>

function exchange(request: http.ClientRequest, body: string, timeLimit: number): Promise<Exchange> {
  return new Promise((resolve) => {
    let answer: http.IncomingMessage | null = null
    const chunks: Buffer[] = []
    let received = 0
    let isSent = false
    const settle = (error: string | null) => {
      clearTimeout(timer)
      // A status is an answer: what happens to the body afterwards does not unsay it.
      const status = answer?.statusCode ?? null
      resolve({
        ok: status !== null && status >= 200 && status < 300,
        status,
        error: status === null ? error : null,
        isSent: isSent || status !== null,
        headers: flatHeaders(answer?.headers ?? {}),
        body: Buffer.concat(chunks).subarray(0, keptBytes).toString(),
      })
    }
    const abandon = (reason: string) => {
      settle(reason)
      request.destroy()
    }
    const timer = setTimeout(() => abandon('no answer in time'), Math.max(timeLimit, 1))
    request.on('finish', () => {
      isSent = true
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      settle(error instanceof ForbiddenTargetError ? error.message : (error.code ?? 'the connection failed')),
    )
    request.on('response', (response) => {
      answer = response
      response.on('data', (chunk: Buffer) => {
        if (received < keptBytes) chunks.push(chunk)
        received += chunk.length
        if (received > readBytes) abandon('the answer is too long')
      })
      response.on('end', () => settle(null))
      response.on('error', () => settle(null))
      response.on('close', () => settle(null))
    })
    request.end(body)
  })
}

const longestHeader = 1_024
const mostHeaders = 50

function flatHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).slice(0, mostHeaders)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value).slice(0, longestHeader)]))
}
