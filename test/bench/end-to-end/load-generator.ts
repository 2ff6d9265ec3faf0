import { connect, type Socket } from 'node:net'
import type { Load, Seen } from './load.ts'

/** Sends what its argument says and answers with what it saw. Sockets and no client: its own work must stay small. */
const load = JSON.parse(process.argv[2]!) as Load
const { hostname, port, host } = new URL(load.url)
const until = performance.now() + load.seconds * 1_000
const times: number[] = []
let next = 0

function request(): string {
  const path = load.paths[next++ % load.paths.length]!
  const headers = Object.entries({ host, ...load.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\n${headers.join('')}\r\n`
}

/** Resolves with the status once one whole answer is there. Every answer of the host says how long it is. */
function exchange(socket: Socket, text: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = ''
    let wanted = 0
    const settle = (act: () => void) => {
      socket.off('data', onData).off('close', onClose)
      act()
    }
    const onClose = () => settle(() => reject(new Error('a connection was closed')))
    const onData = (chunk: string) => {
      received += chunk
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      wanted ||= end + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length >= wanted) settle(() => resolve(Number(received.slice(9, 12))))
    }
    socket.on('data', onData).on('close', onClose).write(text)
  })
}

async function work(): Promise<void> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true }).setEncoding('latin1')
  try {
    while (performance.now() < until) {
      const start = performance.now()
      const text = request()
      const status = await exchange(socket, text)
      if (status !== 200) throw new Error(`${text.split('\r\n')[0]} was answered with ${status}`)
      times.push(performance.now() - start)
      if (load.pause) await new Promise((done) => setTimeout(done, load.pause))
    }
  } finally {
    socket.destroy()
  }
}

function seen(took: number): Seen {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  return { perSecond: times.length / took, p50: at(0.5), p99: at(0.99) }
}

const start = performance.now()
try {
  await Promise.all(Array.from({ length: load.connections }, work))
  process.send?.(seen((performance.now() - start) / 1_000))
} catch (error) {
  process.send?.((error as Error).message)
}
process.disconnect?.()
