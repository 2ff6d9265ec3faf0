import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIsolateClient } from '../../host/isolates/client/client.ts'
import type { GuestAnswer, GuestRequest } from '../../host/isolates/client/types.ts'
import type { RunnerLoss } from '../../host/isolates/links.ts'
import { createFrameReader, encodeFrame, frameType } from '../../host/isolates/wire/frames.ts'
import { moduleOf, requestOf } from './support.ts'

export type Lied = { answer: GuestAnswer; condemned: string[]; strikes: string[] }

/**
 * A hostile process at the other end of a real socket: it answers each step with bytes of its choice. With `later`, the first
 * one only, and says the rest so many milliseconds after it.
 */
export async function askLiar(
  lie: Buffer | string,
  limits: GuestRequest['limits'] = {},
  later?: { ms: number; bytes: Buffer },
): Promise<Lied> {
  const directory = mkdtempSync(join(tmpdir(), 'liar-'))
  const path = join(directory, 'socket')
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(accepted.resolve).listen(path)
  const socket = connect(path)
  const liar = await accepted.promise
  if (socket.connecting) await once(socket, 'connect')
  const lost = Promise.withResolvers<RunnerLoss>()
  const condemned: string[] = []
  const strikes: string[] = []
  const client = createIsolateClient({
    links: {
      subscribe(onLink) {
        onLink({ id: 1, role: 'quarantine', socket, lost: lost.promise })
        return () => {}
      },
      condemn(_runner, reason) {
        condemned.push(reason)
        lost.resolve({ reason: 'condemned', culprit: null })
      },
    },
    onStrike: ({ id }) => strikes.push(id),
  })
  let answered = false
  liar.on('error', () => {})
  liar.on(
    'data',
    createFrameReader((frame) => {
      if (frame.type === frameType.load) liar.write(encodeFrame(frameType.loaded, frame.isolate, 0))
      if (frame.type !== frameType.step || (later && answered)) return
      answered = true
      liar.write(typeof lie === 'string' ? encodeFrame(frameType.stepped, frame.isolate, 10, lie) : lie)
      if (later) setTimeout(() => liar.write(later.bytes), later.ms)
    }),
  )
  try {
    const answer = await client.call(requestOf('asker', moduleOf('() => 1'), { wrote: () => true, limits }))
    return { answer, condemned, strikes }
  } finally {
    client.close()
    liar.destroy()
    server.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
