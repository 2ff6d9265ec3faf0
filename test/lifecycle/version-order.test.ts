import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions } from '../../host/lifecycle/version-order.ts'

test('versions are ordered as semver says', () => {
  const ordered = ['0.9.0', '1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-beta', '1.0.0']
  const higher = [...ordered, '1.0.1', '1.1.0', '1.2.0', '1.10.0', '2.0.0-rc.1', '2.0.0', '10.0.0']
  for (const [index, version] of higher.entries())
    for (const [other, against] of higher.entries())
      assert.equal(Math.sign(compareVersions(version, against)), Math.sign(index - other), `${version} ${against}`)
  assert.equal(compareVersions('1.0.0+abc', '1.0.0'), 0)
})
