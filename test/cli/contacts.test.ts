import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAnswer, partner } from './partner.ts'

test('partner contacts export writes a line of JSON for each, with nothing in it that a terminal obeys', async () => {
  const name = '\u001b[2J\u009b1A\u202eليلى "\\"\r\n\u007f'
  const contacts = [
    { id: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C', wa_id: '1', name },
    { id: '01J9ZK3V7Q8R2M4T6W8Y0A1B2D', wa_id: '2', profile: { [name]: 1 } },
  ]
  const { url, asked, settings } = await oneAnswer({ contacts, next: null })
  const { code, stdout, stderr } = await partner(['contacts', 'export', '--url', url], '', settings)
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(await asked, '/operator/contacts')
  const lines = stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    contacts,
  )
  assert.doesNotMatch(lines.join(''), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u)
  assert.match(stdout, /ليلى/)
})
