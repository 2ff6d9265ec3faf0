import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installedImage } from '../../host/isolates/runner-image.ts'

const fixture = fileURLToPath(new URL('./fixtures/sweep.ts', import.meta.url))

/** Isolates need a process that is started as runners are. */
function holds(name: string): void {
  const flags = installedImage().flags.filter((flag) => !flag.startsWith('--allow'))
  const { status, stderr } = spawnSync(process.execPath, [...flags, fixture, name], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

test('what loading left behind is given back', () => holds('litter'))

test('no code of a guest runs while it is swept, whatever it put on its prototypes and globals', () => holds('traps'))
