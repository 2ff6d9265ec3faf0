import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createIsolateClient } from '../../host/isolates/client/client.ts'
import type { GuestAnswer } from '../../host/isolates/client/types.ts'
import type { RunnerLoss } from '../../host/isolates/links.ts'
import { createFrameReader, encodeFrame, frameType } from '../../host/isolates/wire/frames.ts'
import { moduleOf, requestOf } from './support.ts'

/** A hostile process at the other end of a real socket: it answers the first step with bytes of its choice. */
async function askLiar(lie: Buffer | string): Promise<{ answer: GuestAnswer; condemned: string[]; strikes: string[] }> {
  const directory = mkdtempSync(join(tmpdir(), 'liar-'))
  const path = join(directory, 'socket')
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(accepted.resolve).listen(path)
  const socket = connect(path)
  const liar = await accepted.promise
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
  liar.on('error', () => {})
  liar.on(
    'data',
    createFrameReader((frame) => {
      if (frame.type === frameType.load) liar.write(encodeFrame(frameType.loaded, frame.isolate, 0))
      if (frame.type !== frameType.step) return
      liar.write(typeof lie === 'string' ? encodeFrame(frameType.stepped, frame.isolate, 10, lie) : lie)
    }),
  )
  try {
    const answer = await client.call(requestOf('asker', moduleOf('() => 1'), { wrote: () => true }))
    return { answer, condemned, strikes }
  } finally {
    client.close()
    liar.destroy()
    server.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const hugeLength = Buffer.alloc(13)
hugeLength.writeUInt32LE(0xfffffff0, 0)
const lies: Record<string, Buffer | string> = {
  'a frame of four gigabytes': hugeLength,
  'a frame shorter than its header': Buffer.from([3, 0, 0, 0, 1, 2, 3]),
  'a frame of an isolate that never was': encodeFrame(frameType.stepped, 99, 0, '0'),
  'a frame of an unknown type': encodeFrame(77, 1, 0, ''),
  'a second loading': encodeFrame(frameType.loaded, 1, 0),
  'an isolate gone for no known reason': encodeFrame(frameType.gone, 1, 0, 'because\nof that'),
  'a message without a header': '0d1',
  'a message of an unknown kind': '0z1 2\n',
  'a message longer than its frame': '0d1 5000\nnull',
  'a negative length': '0d1 -1\n',
  'a number that is none': '0d1 1e3\n',
  'a result of a request that never was': '0d77 4\nnull',
  'a result that is no JSON': '0d1 5\nhello',
  'a result with a line break': '0d1 4\n"\n1"',
  'a failure out of form': '0f1 4\nnull',
  'a failure of an unknown kind': '0f1 14\n{"kind":"root"}',
  'a log line of an unknown level': '0l1 8\nfatal hi',
}

for (const [name, lie] of Object.entries(lies)) {
  test(`${name} condemns the runner and loses the call, nothing else`, async () => {
    const { answer, condemned } = await askLiar(lie)
    assert.equal(answer.ok ? answer.value : answer.error.kind, 'runner_lost')
    assert.equal(condemned.length, 1)
  })
}

test('acknowledging more steps than were asked for condemns the runner', async () => {
  const step = encodeFrame(frameType.stepped, 1, 0, '1h1 1 1 4\nxnull')
  const { condemned } = await askLiar(Buffer.concat([step, step]))
  assert.equal(condemned.length, 1)
})

test('a lie in the name of an isolate is a strike against its installation', async () => {
  const { strikes } = await askLiar('0d1 5\nhello')
  assert.deepEqual(strikes, ['asker'])
})

test('a result larger than allowed is refused though the runner let it pass', async () => {
  const { answer, condemned } = await askLiar(`0d1 1100002\n"${'a'.repeat(1_100_000)}"`)
  assert.equal(!answer.ok && answer.error.kind, 'result_too_large')
  assert.deepEqual(condemned, [])
})

test('a failure keeps its known fields only', async () => {
  const text = '{"kind":"threw","message":"m","status":9999,"code":5,"__proto__":{"x":1},"host":"secret"}'
  const { answer } = await askLiar(`0f1 ${text.length}\n${text}`)
  assert.deepEqual(!answer.ok && answer.error, { kind: 'threw', message: 'm' })
})
