import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { build } from 'esbuild'
import { keptScripts, writeScripts } from '../../host/isolates/runner-scripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'partner-runner-scripts-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const names = ['compiler.mjs', 'runner.mjs']

test('a runner’s scripts are made once, and any user may read them', () => {
  const kept = join(folder, 'kept')
  const first = keptScripts(kept)!
  const { ino } = statSync(join(first, 'runner.mjs'))
  assert.equal(keptScripts(kept), first)
  assert.equal(statSync(join(first, 'runner.mjs')).ino, ino)
  assert.deepEqual(readdirSync(first).sort(), names)
  assert.equal(readdirSync(kept).length, 1)
  assert.equal(statSync(first).mode & 0o555, 0o555)
  for (const name of names) assert.equal(statSync(join(first, name)).mode & 0o444, 0o444)
})

test('where nothing can be kept there is no such folder', () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  assert.equal(keptScripts(join(file, 'kept')), undefined)
})

test('each script stands alone: isolated-vm and Node are all that it imports', () => {
  const alone = join(folder, 'alone')
  writeScripts(alone)
  for (const name of names) {
    const text = readFileSync(join(alone, name), 'utf8')
    const imports = [...text.matchAll(/\bimport\b[^"';(]*["']([^"']+)["']/g)].map(([, from]) => from)
    assert.ok(imports.includes('isolated-vm'), name)
    for (const from of imports) assert.match(String(from), /^(isolated-vm|node:.*)$/)
  }
})

test('what a runner is made of lies where its scripts’ name is taken from', async () => {
  const { metafile } = await build({
    entryPoints: ['host/isolates/runner/main.ts', 'host/isolates/runner/compile.ts'],
    bundle: true,
    platform: 'node',
    external: ['isolated-vm'],
    outdir: folder,
    write: false,
    metafile: true,
  })
  for (const input of Object.keys(metafile.inputs)) {
    assert.match(input, /^host\/isolates\/((runner|guest|wire)\/[a-z-]+|limits)\.ts$/)
  }
})
