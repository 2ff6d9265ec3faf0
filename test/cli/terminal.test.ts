import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneAnswer, partner, partnerOnTerminal, withoutTerminal } from './partner.ts'

/** Erases the line it stands in, turns the direction of writing and begins another line. */
const erasing = 'a\u001b[2K\r\u009b2K\u202eb\n! c'
const app = {
  display_name: `Trips ${erasing}`,
  version: '1.0.0',
  scopes: [{ key: 'education.students.read', required: true, reason: erasing }],
}
const install = (url: string) => ['install', 'trips', '--tenant', '01J60000000000000000SCHQQQ', '--url', url]

test('what an app says of its scopes hides none of them from who consents', async () => {
  const { url, settings } = await oneAnswer({ app })
  const { code, stderr } = await partner(install(url), '', settings)
  const line = '  education.students.read: a\ufffd[2K\ufffd\ufffd2K\ufffdb\n      ! c\n'
  assert.deepEqual([code, stderr], [1, `${line}partner: consent needs a terminal, --scopes or --yes\n`])
})

test('the question whether to install an app names it on one line', { skip: withoutTerminal }, async () => {
  const { url, settings } = await oneAnswer({ app })
  const { shown } = await partnerOnTerminal(install(url), 'with these scopes?', 'n', settings)
  assert.ok(shown.includes('Install Trips a\ufffd[2K\ufffd\ufffd2K\ufffdb\ufffd! c with these scopes?'), shown)
})

test('the key of a login is shown on no terminal', { skip: withoutTerminal }, async () => {
  const { url, settings } = await oneAnswer({ data: [] })
  const key = `ppk_${'k9'.repeat(21)}k`
  const { code, shown } = await partnerOnTerminal(['login', '--url', url], 'key:', `${key}\r`, settings)
  assert.deepEqual([code, shown.includes(`signed in at ${url}`)], [0, true], shown)
  assert.ok(!shown.includes('k9'), shown)
})
