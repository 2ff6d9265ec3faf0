import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMigrationFolder } from '../../../policy/migrations/folder.ts'

async function folderOf(files: Record<string, string | Buffer>) {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content)
  await mkdir(join(directory, '2026_01_01_000009_folder.sql'))
  await symlink('/etc/passwd', join(directory, '2026_01_01_000008_link.sql'))
  try {
    return await readMigrationFolder(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

test('files are ordered by version; other names, the base file, links and folders are skipped and listed', async () => {
  const { migrations, skipped, findings } = await folderOf({
    '2026_02_01_000001_second.php': '<?php',
    '2026_01_01_000000_first.sql': 'select 1',
    '0000_00_00_000000_base.php': '<?php',
    'notes.md': '',
    '2026_01_01_create.sql': '',
  })
  assert.deepEqual(
    migrations.map(({ version, name, kind }) => [version, name, kind]),
    [
      ['2026_01_01_000000', 'first', 'sql'],
      ['2026_02_01_000001', 'second', 'php'],
    ],
  )
  assert.deepEqual(skipped, [
    { file: '0000_00_00_000000_base.php', reason: 'base' },
    { file: '2026_01_01_000008_link.sql', reason: 'not_a_file' },
    { file: '2026_01_01_000009_folder.sql', reason: 'not_a_file' },
    { file: '2026_01_01_create.sql', reason: 'name' },
    { file: 'notes.md', reason: 'name' },
  ])
  assert.deepEqual(findings, [])
})

test('the checksum is of the bytes, so a changed comment changes it', async () => {
  const [a, b] = await Promise.all([
    folderOf({ '2026_01_01_000001_a.sql': 'select 1' }),
    folderOf({ '2026_01_01_000001_a.sql': 'select 1 --' }),
  ])
  assert.match(a.migrations[0]!.checksum, /^[0-9a-f]{64}$/)
  assert.notEqual(a.migrations[0]!.checksum, b.migrations[0]!.checksum)
})

test('two files of one version are an error', async () => {
  const { findings } = await folderOf({ '2026_01_01_000001_a.sql': '', '2026_01_01_000001_b.php': '' })
  assert.deepEqual(
    findings.map(({ rule, file }) => [rule, file]),
    [['duplicate-version', '2026_01_01_000001_b.php']],
  )
})

test('NUL bytes, Latin-1, UTF-16 and a byte order mark are refused with file and line', async () => {
  const { findings } = await folderOf({
    '2026_01_01_000001_nul.sql': 'select 1;\n\0',
    '2026_01_01_000002_latin.sql': Buffer.from("select 1;\n\nselect 'caf\xe9'", 'latin1'),
    '2026_01_01_000003_bom.sql': '\ufeffselect 1',
    '2026_01_01_000004_utf16.sql': Buffer.from('\ufeffselect 1', 'utf16le'),
    '2026_01_01_000005_cut.sql': Buffer.from("select 'é'").subarray(0, 9),
    '2026_01_01_000006_good.sql': "select 'é\u{1F4DA}'",
  })
  assert.deepEqual(
    findings.map(({ file, rule, line }) => [file.slice(18), rule, line]),
    [
      ['nul.sql', 'nul', 2],
      ['latin.sql', 'encoding', 3],
      ['bom.sql', 'encoding', 1],
      ['utf16.sql', 'encoding', 1],
      ['cut.sql', 'encoding', 1],
    ],
  )
})

test('a folder that does not exist is a module without migrations', async () => {
  assert.deepEqual(await readMigrationFolder('/nonexistent/migrations'), { migrations: [], skipped: [], findings: [] })
})
