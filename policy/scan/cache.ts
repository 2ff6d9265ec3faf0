import { hash } from 'node:crypto'
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { FileAnalysis } from './analyse-file.ts'
import { readRecords, writeRecord } from './cache-records.ts'
import type { ReadManifest } from './read-manifest.ts'

const policyFolder = path.resolve(import.meta.dirname, '..')
const packageFile = path.resolve(policyFolder, '../package.json')

/** What waits in the cache: the verdict on one file, or on the manifest. */
export type Kept = { readonly analysis: FileAnalysis } | { readonly manifest: ReadManifest }

/** Verdicts by content: a changed file, a changed rule or a changed parser makes another key. */
export type Cache = {
  get(key: string): Kept | undefined
  put(key: string, kept: Kept): void
  save(): Promise<void>
}

/**
 * One file for each module, in the user's own cache folder: what others may write to could plant a verdict. It belongs to
 * the author, and so do its verdicts: whoever scans for somebody else, as a publication does, opens none.
 */
export function openCache(dir: string, folder: string = cacheFolder()): Cache {
  const file = path.join(folder, `${cacheKey(dir).slice(0, 32)}.bin`)
  const version = rulesVersion()
  const { records: stored, whole } = readRecords(file, version)
  const used = new Map<string, Buffer>()
  const added: [string, Buffer][] = []
  return {
    get(key) {
      const record = stored.get(key)
      if (!record) return undefined
      used.set(key, record)
      return deserialize(record) as Kept
    },
    put(key, kept) {
      added.push([key, serialize(kept)])
    },
    async save() {
      if (added.length === 0) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const fresh = added.map(([key, record]) => writeRecord(version, key, record))
      // What nobody asked for is of files that are gone or have changed; once that is most of it, the file is written anew.
      if (whole && used.size > 0 && stored.size < 2 * used.size) return appendFile(file, Buffer.concat(fresh))
      const kept = [...used].map(([key, record]) => writeRecord(version, key, record))
      const temporary = `${file}.${process.pid}`
      await writeFile(temporary, Buffer.concat([...kept, ...fresh]), { mode: 0o600 })
      await rename(temporary, file)
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

/** The rules' own source and the pinned parser decide a verdict, so both are in its key. */
function rulesVersion(): string {
  const folders = ['.', 'rules', 'rules/support', 'scan', 'scopes', 'manifest']
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(policyFolder, folder)).map((name) => `${folder}/${name}`),
  )
  const sources = names.filter((name) => name.endsWith('.ts')).sort()
  const texts = [...sources.map((name) => readFileSync(path.join(policyFolder, name))), readFileSync(packageFile)]
  return cacheKey(...sources, ...texts)
}
