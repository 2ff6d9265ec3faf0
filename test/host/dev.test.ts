import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operatorToken, pageOf, type Portal, portalOf, sourceOf } from '../lifecycle/support.ts'
import { openHostDatabase } from './host-database.ts'
import { writeModule } from './module-folder.ts'
import { hostFolder, runPartner, type StartedHost, startHostProcess, temporaryFolder } from './started-host.ts'

const [folder, sources] = [await hostFolder(), temporaryFolder()]
let host: StartedHost
let operator: Portal

before(async () => {
  host = await startHostProcess(folder.path)
  operator = portalOf(host, operatorToken(host), '/operator')
})
after(async () => {
  await host?.stop()
  folder.remove()
  sources.remove()
})

/** Of a save; what the scan says of it comes on a line of its own. */
type Line = { ok?: boolean; ms: number; message?: string; findings?: { file: string; line: number }[] }

/** What a running `partner dev --json` prints, line by line. */
function linesOf(stream: NodeJS.ReadableStream): () => Promise<Line> {
  const [lines, waiting]: [Line[], ((line: Line) => void)[]] = [[], []]
  let text = ''
  stream.on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n')
    text = parts.pop()!
    for (const part of parts) {
      const line = JSON.parse(part) as Line
      if (line.ok === undefined) continue
      const waiter = waiting.shift()
      if (waiter) waiter(line)
      else lines.push(line)
    }
  })
  return async () => lines.shift() ?? new Promise((resolve) => waiting.push(resolve))
}

test('partner dev: each save runs in the sandbox school, an error names file and line, and the next save mends it', async () => {
  const migration = 'migrations/2026_01_01_000001_notes.sql'
  const table = 'create table notes (id char(26) primary key, text text not null);'
  const dir = writeModule(sources.path, 'scratch', { 'src/index.ts': pageOf('first'), [migration]: table })
  const dev = runPartner(['dev', dir, '--json', '--url', host.url])
  const next = linesOf(dev.process.stdout!)
  const save = (name: string, text: string) => writeFileSync(join(dir, name), text)
  const shown = async (): Promise<string> => (await operator('/invoke', { slug: 'scratch' })).body.text
  /** The line of a save that went so, and shows so. On a busy machine one save may be read half-written, or twice. */
  const tried = async (ok: boolean, text: RegExp): Promise<Line> => {
    const line = await next()
    return line.ok === ok && text.test(await shown()) ? line : tried(ok, text)
  }
  try {
    await tried(true, /first/)

    save('src/index.ts', pageOf('second'))
    await tried(true, /second/)

    save('src/index.ts', `${pageOf('third')}const broken = (\n`)
    const place = async (): Promise<string> => {
      const [found] = (await tried(false, /second/)).findings ?? []
      return found && found.line >= 4 ? found.file : place()
    }
    assert.equal(await place(), 'src/index.ts')

    // A migration that is still being written: the sandbox begins anew, live tables were never touched.
    save(migration, table.replace('text text', 'body text'))
    await tried(false, /second/)
    save('src/index.ts', pageOf('fourth'))
    await tried(true, /fourth/)
    const status = await portalOf(host, operatorToken(host))('/apps/scratch/migrations')
    assert.deepEqual([status.body.migrations.live.length, status.body.migrations.sandbox.length], [0, 1])
  } finally {
    dev.process.kill('SIGINT')
  }
  assert.equal((await dev.ended).code, 0, (await dev.ended).stderr)
})

test('partner dev goes on after a save that could not be read or sent, and ends where it cannot begin', async () => {
  const dir = writeModule(sources.path, 'enduring', { 'src/index.ts': pageOf('first') })
  const dev = runPartner(['dev', dir, '--json', '--url', host.url])
  const next = linesOf(dev.process.stdout!)
  const until = async (ok: boolean): Promise<Line> => {
    const line = await next()
    return line.ok === ok ? line : until(ok)
  }
  try {
    await until(true)
    symlinkSync('index.ts', join(dir, 'src/link.ts'))
    assert.match((await until(false)).message ?? '', /src\/link\.ts: a symbolic link cannot be published/)
    rmSync(join(dir, 'src/link.ts'))
    writeFileSync(join(dir, 'src/index.ts'), pageOf('second'))
    await until(true)
  } finally {
    dev.process.kill('SIGINT')
  }
  assert.equal((await dev.ended).code, 0, (await dev.ended).stderr)
  const stranger = await runPartner(['dev', dir, '--url', 'http://127.0.0.1:1']).ended
  assert.equal(stranger.code, 2)
  assert.match(stranger.stderr, /^partner: no credential for/)
})

test('partner dev: a file of a folder called test is saved like any other, since a module may import it', async () => {
  const source = pageOf(`\${word}`).replace('\nexport', `\nimport { word } from '../test/word.ts'\nexport`)
  const files = { 'src/index.ts': source, 'test/word.ts': `export const word = 'first'` }
  const dir = writeModule(sources.path, 'beside', files)
  const dev = runPartner(['dev', dir, '--json', '--url', host.url])
  const next = linesOf(dev.process.stdout!)
  const until = async (text: RegExp): Promise<void> => {
    await next()
    if (!text.test((await operator('/invoke', { slug: 'beside' })).body.text)) await until(text)
  }
  try {
    await until(/first/)
    writeFileSync(join(dir, 'test/word.ts'), `export const word = 'second'`)
    await until(/second/)
  } finally {
    dev.process.kill('SIGINT')
  }
})

test('what partner dev installs has a token in the sandbox, which a save keeps, and gets one where it had none', async () => {
  const dir = writeModule(sources.path, 'held', { 'src/index.ts': pageOf('first') })
  const saved = async (): Promise<string> => {
    assert.equal((await operator('/dev', sourceOf(dir))).status, 200)
    const { tenants } = (await operator('/sandbox')).body
    const { token } = tenants[0].installations.find(({ app }: { app: string }) => app === 'held')
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await fetch(`${host.url}/sandbox/apps/whoami`, { headers })).status, 200)
    return token
  }
  const token = await saved()
  assert.equal(await saved(), token)
  const database = openHostDatabase(folder.path)
  await database.query('delete from core.installation_tokens')
  await database.end()
  assert.notEqual(await saved(), token)
})

test('what partner dev puts into the sandbox can be neither submitted and published nor installed at a school', async () => {
  const portal = portalOf(host, operatorToken(host))
  const { versions } = (await portal('/apps/scratch')).body.app
  const [{ version, state }] = versions
  assert.equal(state, 'draft')
  const path = `/apps/scratch/versions/${encodeURIComponent(version)}`
  await portal(`${path}/submit`, {})
  assert.equal((await portal(`${path}/start-review`, {})).status, 404)
  assert.equal((await portal(`${path}/publish`, {})).status, 409)
})
