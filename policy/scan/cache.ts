import { hash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { deserialize, serialize } from 'node:v8'

const policyFolder = path.resolve(import.meta.dirname, '..')
const packageFile = path.resolve(policyFolder, '../package.json')
const waitMs = 2000

/** Plain values by key. What another version of the rules wrote, and what is damaged, counts as absent. */
export type Cache = {
  read(key: string): unknown
  /** From then on; nothing is written before `save`. */
  write(key: string, value: unknown): void
  remove(key: string): void
  /** Writes all or nothing. A cache that cannot be written makes the next scan slower, not wrong. */
  save(): void
}

/**
 * One database for each module, in the user's own cache folder: what others may write to could plant a verdict. It belongs to
 * the author, and so do its verdicts: whoever scans for somebody else, as a publication does, opens none.
 */
export function openCache(dir: string, folder: string = cacheFolder()): Cache {
  const file = path.join(folder, `${cacheKey(dir).slice(0, 32)}.db`)
  const version = rulesVersion()
  const changes = new Map<string, Buffer | undefined>()
  let table = openTable(file)
  const lost = () => {
    // Whatever is wrong with the file, the next scan begins a new one.
    discard(file)
    table = undefined
  }
  return {
    read(key) {
      const bytes = changes.get(key)
      if (bytes) return deserialize(bytes)
      try {
        const row = table?.get.get(key)
        if (!row || !(row.value instanceof Uint8Array)) return undefined
        return row.seal === sealOf(version, key, row.value) ? deserialize(row.value) : undefined
      } catch {
        lost()
        return undefined
      }
    },
    write(key, value) {
      changes.set(key, serialize(value))
    },
    remove(key) {
      changes.set(key, undefined)
    },
    save() {
      if (changes.size === 0 || !table) return
      try {
        table.database.exec('begin immediate')
        for (const [key, bytes] of changes) {
          if (bytes) table.put.run(key, sealOf(version, key, bytes), bytes)
          else table.remove.run(key)
        }
        table.database.exec('commit')
      } catch {
        lost()
      }
    },
  }
}

export function cacheKey(...parts: readonly (string | Uint8Array)[]): string {
  if (parts.length === 1 && typeof parts[0] === 'string') return hash('sha256', parts[0], 'base64url')
  return hash('sha256', Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.of(0)])), 'base64url')
}

export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'partner', 'scan')
}

function sealOf(version: string, key: string, bytes: Uint8Array): string {
  return hash('sha256', Buffer.concat([Buffer.from(`${version} ${key} `), bytes]), 'base64url')
}

type Table = {
  readonly database: DatabaseSync
  readonly get: StatementSync
  readonly put: StatementSync
  readonly remove: StatementSync
}

/** A file that is no database, or a damaged one, is begun anew; where that fails too there is no cache. */
function openTable(file: string): Table | undefined {
  try {
    return tableIn(file)
  } catch {
    discard(file)
  }
  try {
    return tableIn(file)
  } catch {
    return undefined
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // Where nothing can be removed nothing can be written either.
  }
}

function tableIn(file: string): Table {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file, { timeout: waitMs })
  // What a loss of power may cost is a cache.
  database.exec('pragma synchronous = off; pragma journal_mode = memory')
  database.exec('create table if not exists kept (key text primary key, seal text, value blob) without rowid')
  return {
    database,
    get: database.prepare('select seal, value from kept where key = ?'),
    put: database.prepare('insert or replace into kept values (?, ?, ?)'),
    remove: database.prepare('delete from kept where key = ?'),
  }
}

/** The rules' own source and the pinned parser decide a verdict, so both are in its key. */
function rulesVersion(): string {
  const folders = ['.', 'rules', 'rules/support', 'scan', 'scan/parser', 'scopes', 'manifest']
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(policyFolder, folder)).map((name) => `${folder}/${name}`),
  )
  const sources = names.filter((name) => name.endsWith('.ts')).sort()
  const texts = [...sources.map((name) => readFileSync(path.join(policyFolder, name))), readFileSync(packageFile)]
  return cacheKey(...sources, ...texts)
}
