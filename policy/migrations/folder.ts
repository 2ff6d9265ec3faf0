/** Reads a module's `migrations/` folder. Knows names and bytes; what the files say is read by `planMigration`. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MigrationFinding } from './finding.ts'
import { decodeText } from './text.ts'

export type MigrationFile = {
  /** `YYYY_MM_DD_HHMMSS`: orders execution and recognises a migration imported before. */
  readonly version: string
  readonly name: string
  /** Relative to the folder. */
  readonly file: string
  readonly kind: 'sql' | 'php'
  /** sha256 of the file's bytes, hexadecimal: a changed file is refused once applied. */
  readonly checksum: string
  readonly text: string
}

/** `reason`: `name` does not follow the pattern, `base` is the platform's own base file, `not_a_file` a folder or link. */
export type SkippedFile = { readonly file: string; readonly reason: 'name' | 'base' | 'not_a_file' }

export type MigrationFolder = {
  /** In the order in which they run. */
  readonly migrations: readonly MigrationFile[]
  /** Skipped without an error, as specified; listed for `partner migrations check`. */
  readonly skipped: readonly SkippedFile[]
  /** Any error here: nothing of the folder may be imported. */
  readonly findings: readonly MigrationFinding[]
}

const pattern = /^(\d{4}_\d{2}_\d{2}_\d{6})_([a-zA-Z0-9_]{1,100})\.(sql|php)$/
const largestFile = 1_000_000

/** A folder that does not exist is a module without migrations. */
export async function readMigrationFolder(directory: string): Promise<MigrationFolder> {
  const migrations: MigrationFile[] = []
  const skipped: SkippedFile[] = []
  const findings: MigrationFinding[] = []
  let leading = true
  for (const entry of await entriesOf(directory)) {
    const matched = pattern.exec(entry.name)
    const base = isBase(entry.name, leading)
    if (!entry.isFile()) skipped.push({ file: entry.name, reason: 'not_a_file' })
    else if (base) skipped.push({ file: entry.name, reason: 'base' })
    else if (!matched) skipped.push({ file: entry.name, reason: 'name' })
    else {
      const [, version = '', name = '', kind] = matched
      const read = await readMigration(join(directory, entry.name), entry.name)
      findings.push(...read.findings)
      migrations.push({ version, name, file: entry.name, kind: kind === 'php' ? 'php' : 'sql', ...read.content })
    }
    if (matched) leading = false
  }
  return { migrations, skipped, findings: [...findings, ...duplicates(migrations)] }
}

async function entriesOf(directory: string) {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The base file leads the folder, with zeros for its time, and makes what the platform makes itself. */
function isBase(name: string, leading: boolean): boolean {
  if (/^(0000_00_00_)?000000(_|\.)/.test(name)) return true
  return leading && /^\d{4}_\d{2}_\d{2}_000000_(base|base_\w*|\w*_base)\.(sql|php)$/i.test(name)
}

async function readMigration(path: string, file: string) {
  const bytes = await readFile(path)
  const checksum = createHash('sha256').update(bytes).digest('hex')
  if (bytes.length > largestFile) {
    const finding = { rule: 'size', severity: 'error', file, line: 1, reason: `over ${largestFile} bytes` } as const
    return { content: { checksum, text: '' }, findings: [finding] }
  }
  const decoded = decodeText(bytes)
  if (decoded.ok) return { content: { checksum, text: decoded.text }, findings: [] }
  const finding = { ...decoded.fault, severity: 'error', file } as const
  return { content: { checksum, text: '' }, findings: [finding] }
}

function duplicates(migrations: readonly MigrationFile[]): MigrationFinding[] {
  return migrations.flatMap((migration, at) => {
    const earlier = migrations[at - 1]
    if (earlier?.version !== migration.version) return []
    return {
      rule: 'duplicate-version',
      severity: 'error',
      file: migration.file,
      line: 1,
      reason: `${earlier.file} has the same version`,
      mend: 'give one of the two a later time; a version is one file',
    }
  })
}
