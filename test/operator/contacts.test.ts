import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperatorServer, operatorToken, startOperatorServer } from '../support/operator-server.ts'

let door: OperatorServer

before(async () => {
  door = await startOperatorServer()
})
after(() => door?.close())

async function ask(query = '', token = operatorToken) {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await door.server.inject({ url: `/operator/contacts${query}`, headers })
  return { status: answer.statusCode, body: answer.json() }
}

test('an operator has the contacts as they were answered, page by page in their order', async () => {
  const sent: unknown[] = []
  for (const name of ['Layla', 'سارة', 'Omar']) {
    const payload = { wa_id: '1', name, profile: { a: [1] } }
    sent.push((await door.server.inject({ method: 'POST', url: '/contacts/api/v1/contacts', payload })).json().contact)
  }
  const { status, body } = await ask()
  assert.deepEqual([status, body.next, new Set(body.contacts)], [200, null, new Set(sent)])
  const ids: string[] = body.contacts.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, ids.toSorted())
  const seen: unknown[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: { contacts: unknown[]; next: string | null } = (await ask(`?limit=2&after=${next}`)).body
    assert.ok(page.contacts.length <= 2)
    seen.push(...page.contacts)
    next = page.next
  }
  assert.deepEqual(seen, body.contacts)
})

test('nobody else has them, and a wrong page is refused with its field', async () => {
  assert.equal((await ask('', 'op_wrong')).status, 401)
  const { status, body } = await ask('?limit=0')
  assert.deepEqual([status, Object.keys(body.errors)], [422, ['limit']])
})
