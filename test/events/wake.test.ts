import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import type pg from 'pg'
import { listenForWakes } from '../../host/events/wake.ts'
import { createTestDatabase } from '../support/database.ts'

test('a listener that is refused, as by a standby, has one connection at a time and leaves none open', async () => {
  const database = await createTestDatabase()
  const sockets: Socket[] = []
  const { promise: again, resolve } = Promise.withResolvers<void>()
  const stream = () => {
    sockets.push(new Socket())
    if (sockets.length === 2) resolve()
    return sockets.at(-1)!
  }
  // A session for replication may connect and ask, and is refused LISTEN.
  const connection: pg.ClientConfig & { replication: string } = {
    ...database.superuser,
    replication: 'database',
    stream,
  }
  const listener = listenForWakes(connection, () => assert.fail('it hears'))
  await again
  const first = sockets[0]!.closed
  await listener.close()
  for (const socket of sockets) socket.destroy()
  await database.drop()
  assert.ok(first)
})
