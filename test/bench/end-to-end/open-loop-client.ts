import { connect, type Socket } from 'node:net'
import type { Answers, Asked } from './open-loop.ts'

/** A connection that the host never answers on stays taken; so many are more than any queue that a bench wants to see. */
const mostConnections = 1_024

/**
 * Asks at a fixed rate and counts from the moment a request was due: a slow answer neither lowers the load nor hides the
 * wait of those behind it. Runs in a process of its own and speaks over bare sockets, since its own work must stay small.
 */
process.on('message', async (asked: Asked) => process.send?.(await ask(asked)))

/** Connections that wait for a request, the one used last at the end. */
const idle = new Set<Socket>()

async function ask({ url, requests, count, perSecond }: Asked): Promise<Answers> {
  const { hostname, port, host } = new URL(url)
  const open = (): Socket => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('latin1')
    return socket.on('error', () => {}).on('close', () => idle.delete(socket))
  }
  const answers: Answers = { times: [], statuses: {}, firstRefusal: null }
  let taken = 0

  async function one(due: number, request: Asked['requests'][number]): Promise<void> {
    if (taken >= mostConnections) throw new Error('too many requests wait')
    taken++
    // A timer may be early by part of a millisecond: that is no time won.
    const from = Math.min(due, performance.now())
    const socket = [...idle].at(-1) ?? open()
    idle.delete(socket)
    const headers = Object.entries({ host, ...request.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    const { status, text } = await exchange(socket, `GET ${request.path} HTTP/1.1\r\n${headers.join('')}\r\n`)
    taken--
    if (status !== 0) idle.add(socket)
    answers.times.push(performance.now() - from)
    answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
    if (status !== 200) answers.firstRefusal ??= `${request.path}: ${status} ${text.slice(0, 500)}`
  }

  const begin = performance.now()
  const all: Promise<void>[] = []
  for (let next = 0; next < count; next++) {
    const due = begin + (next * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((go) => setTimeout(go, wait))
    all.push(one(due, requests[Math.floor(Math.random() * requests.length)]!))
  }
  await Promise.all(all)
  return answers
}

/** One whole answer; status 0 where the connection was closed instead. Every answer of the host says how long it is. */
function exchange(socket: Socket, request: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    let text = ''
    const settle = (status: number) => {
      socket.off('data', onData).off('close', onClose)
      resolve({ status, text })
    }
    const onClose = () => settle(0)
    const onData = (chunk: string) => {
      text += chunk
      const end = text.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1] ?? 0)
      if (text.length >= end + 4 + length) settle(Number(text.slice(9, 12)))
    }
    socket.on('data', onData).on('close', onClose).write(request)
  })
}
