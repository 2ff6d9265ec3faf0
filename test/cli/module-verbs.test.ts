import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder, oneAnswer, partner } from './partner.ts'

for (const type of ['embedded', 'external', 'notification', 'payment']) {
  test(`partner new --type ${type} makes a folder that scans clean`, async () => {
    const made = await partner(['new', `fresh_${type}`, '--type', type])
    assert.equal(made.code, 0, made.stderr)
    const steps = made.stdout.split('\n\n')[1] ?? ''
    const dev = type === 'external' ? [] : ['partner dev']
    for (const step of ['npm install', ...dev, 'partner scan', 'partner publish'])
      assert.ok(steps.includes(step), steps)
    const scanned = await partner(['scan', `fresh_${type}`, '--json'])
    assert.deepEqual([scanned.code, JSON.parse(scanned.stdout).findings], [0, []], scanned.stdout + scanned.stderr)
    if (type !== 'embedded') return
    const checked = await partner(['migrations', 'check', `fresh_${type}`, '--json'])
    assert.equal(checked.code, 0, checked.stdout)
    assert.equal(JSON.parse(checked.stdout).plans[0].ok, true)
  })
}

test('partner new refuses a name that no app can have, and never writes into a folder that is there', async () => {
  for (const slug of ['Fresh', 'x', 'education', '../up']) assert.equal((await partner(['new', slug])).code, 2, slug)
  assert.equal((await partner(['new', 'twice', '--type', 'external'])).code, 0)
  writeFileSync(join(folder.path, 'twice/manifest.json'), 'mine')
  assert.equal((await partner(['new', 'twice'])).code, 2)
  assert.equal(readFileSync(join(folder.path, 'twice/manifest.json'), 'utf8'), 'mine')
})

test('partner scan exits 1 with errors and 2 where it cannot run', async () => {
  await partner(['new', 'broken'])
  writeFileSync(join(folder.path, 'broken/src/index.ts'), `import 'node:fs'\n`)
  const scanned = await partner(['scan', 'broken', '--json'])
  assert.equal(scanned.code, 1)
  assert.ok(
    JSON.parse(scanned.stdout).findings.some(
      ({ file, line }: { file: string; line: number }) => file === 'src/index.ts' && line === 1,
    ),
  )
  assert.equal((await partner(['scan', 'nowhere'])).code, 2)
})

test('partner scan refuses a loopback webhook unless the setting of the host allows it', async () => {
  await partner(['new', 'nearby', '--type', 'external'])
  const file = join(folder.path, 'nearby/manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.external.webhookUrl = 'http://127.0.0.1:4000/hook'
  writeFileSync(file, JSON.stringify(manifest))
  const scan = (allowed: string) => partner(['scan', 'nearby'], '', { ALLOW_LOOPBACK_CALLBACKS: allowed })
  const [refused, accepted] = [await scan('false'), await scan('true')]
  assert.deepEqual([refused.code, accepted.code], [1, 0], refused.stdout + accepted.stdout)
  assert.match(refused.stdout, /loopback/)
})

test('partner sql-check exits 0, 1 where something is refused, 2 where it is no SQL', async () => {
  const check = (sql: string) => partner(['sql-check', '-', '--json'], sql)
  const allowed = await check('create table a (id text primary key);')
  assert.deepEqual([allowed.code, JSON.parse(allowed.stdout).statements[0].verdict], [0, 'allowed'])
  const refused = await check('create table a (id text primary key);\ngrant all on a to public;')
  assert.equal(refused.code, 1)
  const [, second] = JSON.parse(refused.stdout).statements
  assert.deepEqual([second.index, second.line, second.verdict], [1, 2, 'refused'])
  assert.equal((await check('creat tabel')).code, 2)
})

test('of several texts each verdict names its file, of one none does', async () => {
  writeFileSync(join(folder.path, 'a.sql'), 'create table a (id text primary key);')
  writeFileSync(join(folder.path, 'b.sql'), '\ngrant all on a to public;')
  const both = await partner(['sql-check', 'a.sql', 'b.sql'])
  const [first, second] = both.stdout.split('\n')
  assert.deepEqual([both.code, first], [1, 'a.sql:1: allowed'])
  assert.match(second!, /^b\.sql:2: refused \S+: /)
  const statements = async (...files: string[]) =>
    JSON.parse((await partner(['sql-check', ...files, '--json'])).stdout).statements
  const [one, two] = await statements('a.sql', 'b.sql')
  assert.deepEqual(one, { file: 'a.sql', index: 0, line: 1, verdict: 'allowed' })
  assert.deepEqual([two.file, two.index, two.line, two.verdict], ['b.sql', 0, 2, 'refused'])
  assert.deepEqual(await statements('a.sql'), [{ index: 0, line: 1, verdict: 'allowed' }])
  assert.equal((await partner(['sql-check', 'a.sql'])).stdout, '1: allowed\n')
})

test('a folder whose manifest names no module is checked for none, and says so', async () => {
  await partner(['new', 'nameless'])
  const path = join(folder.path, 'nameless/manifest.json')
  for (const manifest of [{}, { moduleId: 'x"; --' }, { moduleId: 7 }, null, []]) {
    writeFileSync(path, JSON.stringify(manifest))
    const { code, stdout, stderr } = await partner(['migrations', 'check', 'nameless'])
    const line =
      'partner: nameless/manifest.json has no usable moduleId: it takes lowercase letters, digits and underscores, 2 to 40, a letter first\n'
    assert.deepEqual([code, stdout, stderr], [2, '', line])
  }
})

test('partner migrations check exits 1 where an import would refuse', async () => {
  await partner(['new', 'drops'])
  writeFileSync(join(folder.path, 'drops/migrations/2026_02_01_000001_drop.sql'), 'drop database partner;')
  const checked = await partner(['migrations', 'check', 'drops', '--json'])
  assert.equal(checked.code, 1, checked.stdout)
})

test('a mistyped call is 2, so that nobody takes it for findings; help that was asked for is 0', async () => {
  for (const args of [['scna', '.'], ['scan'], ['scan', '.', '--formt', 'json'], ['token'], []])
    assert.equal((await partner(args)).code, 2, args.join(' '))
  for (const args of [['--help'], ['help'], ['help', 'scan'], ['scan', '--help']])
    assert.equal((await partner(args)).code, 0, args.join(' '))
})

test('partner import-school sends the files that are read, and no others of an export', async () => {
  const { url, asked, settings } = await oneAnswer({ imported: { students: 2 }, released: 1 })
  mkdirSync(join(folder.path, 'export'))
  for (const name of ['orgs.csv', 'users.csv', 'manifest.csv', 'results.csv', 'lineItems.csv', 'toString'])
    writeFileSync(join(folder.path, 'export', name), 'sourcedId\n')
  const args = ['import-school', 'export', '--tenant', '01J60000000000000000SCHQQQ', '--url', url, '--org', 'o1']
  const { code, stdout } = await partner(args, '', settings)
  assert.deepEqual([code, stdout], [0, 'students          2\nstudents who left 1\n'])
  const { files, org } = (await asked) as { files: object; org: string }
  assert.equal(org, 'o1')
  assert.deepEqual(Object.keys(files).sort(), ['manifest.csv', 'orgs.csv', 'users.csv'])
})

test('partner import-school sends nothing of an export that is larger than a host takes, and says which file is', async () => {
  const { url, settings, asked } = await oneAnswer({ imported: {}, released: 0 })
  const district = join(folder.path, 'district')
  mkdirSync(district)
  for (const [name, size] of Object.entries({
    'users.csv': 900_000,
    'enrollments.csv': 31_000_000,
    'results.csv': 1,
  })) {
    writeFileSync(join(district, name), '')
    truncateSync(join(district, name), size)
  }
  const args = ['import-school', 'district', '--tenant', '01J60000000000000000SCHQQQ', '--url', url, '--org', 'o1']
  const { code, stderr } = await partner(args, '', settings)
  const message =
    'the files are 31.9 MB, enrollments.csv 31.0 MB of them, and a host takes 29.9 MB at once, ' +
    'out of which --org picks its school: take rows of other schools out before'
  assert.deepEqual([code, stderr], [1, `partner: ${message}\n`])
  truncateSync(join(district, 'enrollments.csv'), 1_000)
  assert.equal((await partner(args, '', settings)).code, 0)
  const { files } = (await asked) as { files: Record<string, string> }
  assert.equal(Buffer.from(files['enrollments.csv']!, 'base64').length, 1_000, 'the first that was sent')
  const help = await partner(['import-school', '--help'])
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  for (const text of [help.stdout, readme]) assert.match(text, /29\.9 MB/)
})

test('partner import-school says how many wrong rows there are beside those that it lists', async () => {
  const message = '3 wrong rows: nothing was imported'
  const report = { problems: [{ file: 'users.csv', line: 2, reason: 'givenName is empty' }], total: 3 }
  mkdirSync(join(folder.path, 'wrong'))
  const refused = async (...more: string[]) => {
    const { url, settings } = await oneAnswer({ message, error: 'invalid_data', report }, 422)
    const args = ['import-school', 'wrong', '--tenant', '01J60000000000000000SCHQQQ', '--url', url, ...more]
    return partner(args, '', settings)
  }
  const { code, stderr } = await refused()
  assert.deepEqual([code, stderr], [1, `partner: ${message}\n  users.csv:2 givenName is empty\n  … and 2 more\n`])
  assert.deepEqual(JSON.parse((await refused('--json')).stdout), { ...report, message })
})

test('what a module logs neither commands the terminal of who reads it nor looks like another entry', async () => {
  const message = 'a\u001b]0;b\u0007\u202ec\n2026-01-01T00:00:00.000Z forged\tline'
  const line = { at: '2026-02-02T00:00:00.000Z', invocation_id: '01K', position: 0, level: 'info', message }
  const read = async (...more: string[]) => {
    const { url, settings } = await oneAnswer({ lines: [line] })
    return (await partner(['logs', 'mine', '--url', url, ...more], '', settings)).stdout
  }
  const head = '2026-02-02T00:00:00.000Z 01K info: '
  assert.equal(await read(), `${head}a\ufffd]0;b\ufffd\ufffdc\n      2026-01-01T00:00:00.000Z forged\tline\n`)
  assert.deepEqual(JSON.parse(await read('--json')), line)
})

test('logs of an app that the host does not have, and data that is no JSON, are one clear line and code 1', async () => {
  const { url, settings } = await oneAnswer({ message: 'Not found.', error: 'not_found' }, 404)
  const logs = await partner(['logs', 'nosuch', '--url', url], '', settings)
  assert.deepEqual([logs.code, logs.stderr, logs.stdout], [1, 'partner: no app of this host is called nosuch\n', ''])
  const invoked = await partner(['invoke', 'mine', '/', '--data', 'xx', '--url', url], '', settings)
  const line = `partner: --data takes JSON, for example '{"name": "Mona"}'\n`
  assert.deepEqual([invoked.code, invoked.stderr, invoked.stdout], [1, line, ''])
})

test('text whose lines end as a form’s do is shown line by line', async () => {
  const used = { cpu_ms: 1, service_calls: 0 }
  const log = [{ level: 'info', message: 'one\r\ntwo' }]
  const answer = { ok: true, status: 200, text: '<pre>one\r\ntwo</pre>', log, used, invocation_id: '01K' }
  const { url, settings } = await oneAnswer(answer)
  const { stdout } = await partner(['invoke', 'mine', '/', '--url', url], '', settings)
  const head = '200  (invocation 01K, 1.0 ms CPU, 0 calls)\n'
  assert.equal(stdout, `${head}  info: one\n      two\n<pre>one\ntwo</pre>\n`)
})

test('what a partner says of a version looks like nobody else’s word', async () => {
  const comments = [{ author: 'p1', state: 'draft', body: 'Mended.\n  operator (in_review): approved' }]
  const { url, settings } = await oneAnswer({ version: { version: '1.0.0', state: 'in_review', comments } })
  const { stdout } = await partner(['version', 'show', 'mine', '1.0.0', '--url', url], '', settings)
  assert.match(stdout, /^mine 1\.0\.0: in_review\n/)
  assert.ok(stdout.endsWith('\n  p1 (draft): Mended.\n        operator (in_review): approved\n'), stdout)
})

test('partner credentials shows the secrets that the portal made', async () => {
  const made = { client_id: 'client_a', client_secret: 'secret_b', webhook_secret: 'secret_c' }
  const { url, asked, settings } = await oneAnswer({ credentials: made })
  const { code, stdout } = await partner(['credentials', 'mine', '--url', url], '', settings)
  assert.deepEqual([code, await asked], [0, {}])
  for (const secret of Object.values(made)) assert.ok(stdout.includes(secret), stdout)
})

test('where an app, a school or a partner is not there, a verb names it', async () => {
  const { url, settings } = await oneAnswer({ message: 'Not found.', error: 'not_found' }, 404)
  const id = '01J60000000000000000SCHQQQ'
  for (const [args, line] of [
    [['token', 'rotate', 'mien', '--tenant', id], `/operator/tokens/rotate, app mien, school ${id}`],
    [['lift', 'mien'], '/operator/lift, app mien'],
    [['partners', 'revoke', id], `/operator/partners/revoke, partner ${id}`],
  ] as const) {
    const { code, stderr } = await partner([...args, '--url', url], '', settings)
    assert.deepEqual([code, stderr.trim()], [1, `partner: not found: ${line}`])
  }
})

test('a page of a proxy in the place of an answer is one line with its status', async () => {
  const { url, settings } = await oneAnswer('<html><h1>502 Bad Gateway</h1></html>', 502)
  const { code, stderr } = await partner(['sandbox', '--url', url], '', settings)
  assert.deepEqual([code, stderr.includes(`partner: ${url} answered 502, and not as a host does`)], [2, true], stderr)
})

test('a host that is asked by localhost is called where its credential was kept, at the loopback’s address', async () => {
  const { url, settings } = await oneAnswer({ tenants: [], base_url: 'http://a' })
  const { port } = new URL(url)
  // Another program may have the same port at an address that localhost stands for too.
  const heard: unknown[] = []
  const other = createServer((request, response) => {
    heard.push(request.headers.authorization)
    response.end('{}')
  })
  const shared = await new Promise<boolean>((done) =>
    other
      .once('error', () => done(false))
      .once('listening', () => done(true))
      .listen(Number(port), '::1'),
  )
  try {
    const { code, stdout, stderr } = await partner(['sandbox', '--url', `http://localhost:${port}`], '', settings)
    assert.deepEqual([code, stdout, heard], [0, 'runtime API  http://a\n', []], stderr)
  } finally {
    if (shared) other.close()
  }
})

test('partner login without a key ends with one line and code 2', async () => {
  const { code, stderr } = await partner(['login'])
  assert.deepEqual([code, stderr.trim()], [2, 'key: partner: that is no key of this platform'])
})

test('a refusal, a name or a file that somebody else wrote commands no terminal, whichever verb shows it', async () => {
  const said = 'a\u001b[2K\r\u009b2K\u202eb\nc'
  const [entry, name] = ['a\ufffd[2K\ufffd\ufffd2K\ufffdb\n      c', 'a\ufffd[2K\ufffd\ufffd2K\ufffdb\ufffdc']
  const refused = await oneAnswer({ message: said, error: 'invalid' }, 422)
  const asked = await partner(['sandbox', '--url', refused.url], '', refused.settings)
  assert.equal(asked.stderr, `partner: ${entry}\n`)
  const user = { username: 'mona', password: 'p', person_type: 'teacher', display_name: said }
  const school = { id: '01K', name: said, users: [user], installations: [] }
  const { url, settings } = await oneAnswer({ tenants: [school], base_url: 'http://a' })
  const { stdout } = await partner(['sandbox', '--url', url], '', settings)
  assert.equal(stdout, `runtime API  http://a\n\n${name}  tenant 01K\n  mona           p  teacher, ${name}\n`)
  const checked = await partner(['sql-check', '-'], `create extension "${said}"`)
  assert.match(checked.stdout, /^1: refused /)
  await partner(['new', 'foreign'])
  writeFileSync(join(folder.path, 'foreign/migrations', `${said}.sql`), '')
  const sql = `insert into notes (id, body) values ('1', '${said}');\ndrop extension "${said}";`
  writeFileSync(join(folder.path, 'foreign/migrations/2026_02_01_000001_x.sql'), sql)
  const migrations = await partner(['migrations', 'check', 'foreign'])
  assert.ok(migrations.stdout.includes(`${entry}.sql: skipped`), migrations.stdout)
  writeFileSync(join(folder.path, 'foreign/manifest.json'), said)
  const unread = await partner(['migrations', 'check', 'foreign'])
  for (const text of [checked.stdout, migrations.stdout, unread.stderr])
    assert.doesNotMatch(text, /[\u001b\u009b\u202e\r]/, JSON.stringify(text))
})
