import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextVersion } from '../../../policy/migrations/next-version.ts'

const now = new Date('2026-11-21T08:09:10.999Z')

test('a migration written now has the version of this second, or one later than all that exist', () => {
  assert.equal(nextVersion([], now), '2026_11_21_080910')
  assert.equal(nextVersion(['2026_11_21_080909'], now), '2026_11_21_080910')
  assert.equal(nextVersion(['2026_11_21_080910'], now), '2026_11_21_080911')
  assert.equal(nextVersion(['2026_01_01_000000', '2026_12_31_235959', '2026_11_21_080910'], now), '2027_01_01_000000')
  const odd = nextVersion(['2026_12_31_996161'], now)
  assert.ok(odd > '2026_12_31_996161' && /^\d{4}_\d\d_\d\d_\d{6}$/.test(odd), odd)
})
