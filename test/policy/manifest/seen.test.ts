import assert from 'node:assert/strict'
import { test } from 'node:test'
import { check, egress, reason, testRefusals, widget, withField, withWidget } from '../support/manifest.ts'
import { brief, manifest, scanFiles } from '../support/module.ts'

const withReason = (text: string, key = 'education.students.read') => ({ scopes: [{ key, reason: text }] })
const dangerous = (text: string) => withReason(text, 'education.face_embeddings.read')

testRefusals([
  ['a name of spaces', { displayName: '   ' }, 'displayName'],
  ['a name of no width', { displayName: '\u200b\u200b' }, 'displayName'],
  ['a name of a blank letter', { displayName: '\u3164' }, 'displayName'],
  ['a name of a blank sign', { displayName: 'a\u2800' }, 'displayName'],
  ['a name of dots', { displayName: '...' }, 'displayName'],
  ['a name of joiners', { displayName: '\u200d' }, 'displayName'],
  ['a name of two lines in Unicode', { displayName: 'Clubs\u2028Ministry' }, 'displayName'],
  ['a name with a hidden text', { displayName: 'Clubs\u{e0041}\u{e0042}' }, 'displayName'],
  ['a name with a byte order mark', { displayName: 'Cl\ufeffubs' }, 'displayName'],
  ['a name with a word joiner', { displayName: { ar: 'نوادي', en: 'Cl\u2060ubs' } }, 'displayName.en'],
  ['a name in one language of spaces', { displayName: { ar: ' ', en: 'Clubs' } }, 'displayName.ar'],
  ['a name in one language alone', { displayName: { ar: 'نوادي' } }, 'displayName.en'],
  ['a description of no width', { description: '\u200b' }, 'description'],
  ['a reason of a space', withReason(' '), 'scopes[0].reason'],
  ['a purpose of spaces', { egress: [{ ...egress, purpose: ' '.repeat(10) }] }, 'egress[0].purpose'],
  ['an icon of a space', withWidget({ icon: ' ' }), 'landing_widgets[0].icon'],
  ['a dangerous scope’s reason of dots', dangerous(`a${'.'.repeat(30)}`), 'scopes[0].reason', 'scope-dangerous-reason'],
  [
    'a dangerous scope’s reason of spaces',
    dangerous(`for ${' '.repeat(30)} us`),
    'scopes[0].reason',
    'scope-dangerous-reason',
  ],
  ['a host of no ending', { egress: [{ ...egress, host: 'example.xn--' }] }, 'egress[0].host'],
])

test('what can be seen is taken: signs where they stand for something, Arabic with its joiners, hosts of any script', () => {
  for (const changes of [
    { displayName: { ar: 'می‌روم ؜(١)', en: 'Clubs 👩‍🏫 ❤️' } },
    withWidget({ ...widget, icon: '📚' }),
    withField({ type: 'select', options: [{ value: '+', label: '★★' }] }),
    withField({ help: '' }),
    dangerous('يفتح الباب للأعضاء المسجلين'),
    { egress: [{ ...egress, host: 'api.example.xn--mgberp4a5d4ar' }] },
  ])
    assert.deepEqual(check(changes).findings, [])
})

test('a refusal says what to write, and which name was meant', () => {
  const of = (changes: Record<string, unknown>) =>
    check(changes).findings.map(({ message, mend }) => `${message} ${mend}`)
  assert.match(of({ displayName: { ar: 'نوادي' } }).join(), /^It is missing: .* Add it\.$/)
  assert.match(of(withReason(reason, 'education.student.read')).join(), /Did you mean `education\.students\.read`\?/)
  assert.match(of(withReason(reason, 'transport.buses.read')).join(), /Take a scope of the catalog/)
  const field = withField({ type: 'select', options: [{ value: 'a', label: 'A' }], options_endpoint: '/x' })
  assert.match(of(field).join(), /reserved and refused Remove it\.$/)
})

test('a key that stands twice is refused at its line: the last one holds, and a reader sees the first', async (context) => {
  const entry = "import { defineModule } from '@partner/sdk'\nexport default defineModule({})\n"
  const scopes = JSON.stringify(withReason(reason).scopes)
  const report = (text: string) => scanFiles(context, { 'src/index.ts': entry, 'manifest.json': text })
  const twice = manifest().replace(/\n}$/, `,\n"sc\\u006fpes": ${scopes}\n}`)
  const line = twice.split('\n').length - 1
  assert.deepEqual(
    brief(await report(twice)).filter((text) => text.startsWith('manifest-duplicate')),
    [`manifest-duplicate manifest.json:${line}`],
  )
  const inside = manifest({ scopes: [] }).replace('[]', `[{"key": "a", "reason": "b: \\"key\\"", "key":\n"c"}]`)
  assert.match(brief(await report(inside)).join(), /manifest-duplicate manifest\.json:8/)
  const honest = manifest({ displayName: { ar: 'نوادي', en: 'displayName' }, settings_schema: { fields: [] } })
  assert.ok(
    !brief(await report(honest))
      .join()
      .includes('manifest-duplicate'),
  )
})
