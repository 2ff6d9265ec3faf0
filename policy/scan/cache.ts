import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { FileAnalysis } from './analyse-file.ts'
import type { Job } from './worker.ts'

const policyFolder = path.resolve(import.meta.dirname, '..')
const packageFile = path.resolve(policyFolder, '../package.json')

/** Verdicts by content: a changed file, a changed rule or a changed parser makes another key. */
export type Cache = {
  get(job: Job): FileAnalysis | undefined
  put(job: Job, analysis: FileAnalysis): void
  save(): Promise<void>
}

/** One file for each module, in the user's own cache folder: what others may write to could plant a verdict. */
export async function openCache(dir: string, folder: string = cacheFolder()): Promise<Cache> {
  const version = await rulesVersion()
  const file = path.join(folder, `${digest(dir).slice(0, 32)}.bin`)
  const stored = await readStored(file, version)
  const kept = new Map<string, FileAnalysis>()
  let changed = false
  return {
    get(job) {
      const key = keyOf(job)
      const analysis = stored.get(key)
      if (analysis) kept.set(key, analysis)
      return analysis
    },
    put(job, analysis) {
      kept.set(keyOf(job), analysis)
      changed = true
    },
    async save() {
      if (!changed) return
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const temporary = `${file}.${process.pid}`
      await writeFile(temporary, serialize({ version, files: kept }), { mode: 0o600 })
      await rename(temporary, file)
    },
  }
}

export function cacheFolder(): string {
  return path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'partner', 'scan')
}

async function readStored(file: string, version: string): Promise<Map<string, FileAnalysis>> {
  try {
    const stored = deserialize(await readFile(file)) as { version: string; files: Map<string, FileAnalysis> }
    return stored.version === version ? stored.files : new Map()
  } catch {
    return new Map()
  }
}

/** The rules' own source and the pinned parser decide a verdict, so both are in its key. */
async function rulesVersion(): Promise<string> {
  const folders = ['.', 'rules', 'rules/support', 'scan', 'scopes']
  const names = await Promise.all(
    folders.map(async (folder) => (await readdir(path.join(policyFolder, folder))).map((name) => `${folder}/${name}`)),
  )
  const sources = names.flat().filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all([
    ...sources.sort().map((name) => readFile(path.join(policyFolder, name), 'utf8')),
    readFile(packageFile, 'utf8'),
  ])
  return digest(texts.join('\0'))
}

function keyOf(job: Job): string {
  return digest(`${job.kind}\0${job.file}\0${job.text}`)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
