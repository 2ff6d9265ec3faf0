import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { isUnavailable } from '../../host/database/unavailable.ts'
import { createRpc, type Methods } from '../../host/processes/rpc.ts'

test('a database that is away from the process that was asked is told apart from a fault, as in the process itself', async () => {
  const faults = [
    [{ code: 'ECONNRESET', syscall: 'read' }, true],
    [{ code: '57P01' }, true],
    [{ code: '22012' }, false],
  ] as const
  for (const [state, away] of faults) {
    const asking = askingProcess({
      work: () => {
        throw Object.assign(new Error('failed'), state)
      },
    })
    await assert.rejects(
      asking.call('work'),
      (error: Error) => isUnavailable(error) === away && error.message === 'failed',
    )
  }
})

/** The end that asks; the other serves `methods`. What goes between is JSON, as between processes. */
function askingProcess(methods: Methods) {
  const ends = [new EventEmitter(), new EventEmitter()] as const
  const channel = (own: EventEmitter, other: EventEmitter) => ({
    send: (message: unknown) => other.emit('message', JSON.parse(JSON.stringify(message))),
    on: own.on.bind(own),
  })
  createRpc(channel(ends[1], ends[0]), methods)
  return createRpc(channel(ends[0], ends[1]))
}
