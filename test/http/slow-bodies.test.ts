import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { refuseSlowBodies } from '../../host/http/slow-bodies.ts'
import { operatorToken, startOperatorServer } from '../support/operator-server.ts'

const body = JSON.stringify({ files: 'none' })

/** A server that waits for a tenth of a second where it usually waits for a quarter of a minute. */
async function startDoor(t: TestContext) {
  const { server, close } = await startOperatorServer()
  t.after(close)
  refuseSlowBodies(server.server, 100)
  const { hostname, port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  return {
    /** Sends the first byte of a body; the rest when it is told to. `closed`: all that came back. */
    begin(path: string, token: string) {
      const socket = connect(Number(port), hostname)
      t.after(() => socket.destroy())
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: x',
        'Connection: close',
        'Content-Type: application/json',
        `Authorization: Bearer ${token}`,
        `Content-Length: ${body.length}`,
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n${body[0]}`)
      let text = ''
      socket.on('data', (data) => {
        text += data
      })
      const closed = once(socket, 'close').then(() => text)
      return { closed, end: () => void socket.write(body.slice(1)) }
    },
  }
}

test('whoever is known may take minutes over a body, and strangers are cut off after seconds', async (t) => {
  const door = await startDoor(t)
  const known = [door.begin('/operator/publish', operatorToken), door.begin('/partners/api/publish', operatorToken)]
  const stranger = await door.begin('/contacts', operatorToken).closed
  assert.match(stranger, /^HTTP\/1\.1 408 .*"error":"request_timeout"/s)
  for (const { end } of known) end()
  for (const { closed } of known) assert.match(await closed, /^HTTP\/1\.1 422 /)
})

test('a stranger’s body is not awaited at the doors of those who are known either', async (t) => {
  const door = await startDoor(t)
  for (const path of ['/operator/publish', '/partners/api/publish'])
    assert.match(await door.begin(path, 'nobody').closed, /^HTTP\/1\.1 401 /)
})
