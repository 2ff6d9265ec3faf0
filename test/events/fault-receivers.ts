import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Receiver, startReceiver } from './receiver.ts'

export const misbehaviours = ['answers', 'hangs', 'cuts', 'is slow', 'redirects', 'lies'] as const
export type Misbehaviour = (typeof misbehaviours)[number]

/** What a receiver noted of a webhook: when, and whether it answered that it has it. */
export type Note = { deliveryId: string; recordId: string; signed: boolean; at: number; accepted: boolean }

export type FaultReceiver = {
  kind: Misbehaviour
  receiver: Receiver
  notes: Note[]
  /** Requests that came because a redirect was followed. */
  followed: number
}

const elsewhere = '/elsewhere'

/** A receiver that sometimes misbehaves in its own way at the first attempt of a delivery, never at a later one. */
export async function startFaultReceiver(kind: Misbehaviour, secret: string, oneOf: number): Promise<FaultReceiver> {
  const known = new Set<string>()
  const receiver = await startReceiver(secret, (request, response, { headers, body, signed }) => {
    receiver.received.length = 0
    if (request.url === elsewhere) {
      own.followed++
      return void response.writeHead(200).end()
    }
    const deliveryId = headers['x-platform-delivery-id']!
    const isFirst = !known.has(deliveryId)
    known.add(deliveryId)
    const wrong = isFirst && Math.random() < 1 / oneOf
    const accepted = !wrong || kind === 'answers' || kind === 'is slow'
    own.notes.push({ deliveryId, recordId: body.data.student.id, signed, at: Date.now(), accepted })
    if (!wrong) return void response.writeHead(200).end('ok')
    misbehave(kind, request, response)
  })
  const own: FaultReceiver = { kind, receiver, notes: [], followed: 0 }
  return own
}

function misbehave(kind: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
  if (kind === 'answers') response.writeHead(202).end()
  if (kind === 'cuts') request.socket.destroy()
  if (kind === 'is slow') setTimeout(() => response.writeHead(200).end(), 150)
  // 308 asks for the same request again, body and all.
  if (kind === 'redirects') response.writeHead(308, { location: elsewhere }).end()
  if (kind === 'lies') request.socket.end('HTTP/1.1 200 banana\r\nContent-Length: -5\r\n\r\n')
}
