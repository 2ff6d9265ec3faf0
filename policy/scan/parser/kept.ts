import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import type { ParserPackages } from './packages.ts'

const nodeModules = fileURLToPath(new URL('../../../node_modules/', import.meta.url))
const besidePackages = join(nodeModules, '.cache/partner-runtime-parser')
const sumBytes = 4
const makers = ['keep.ts', 'compile.ts', 'installed.ts', 'as-module.ts']

/**
 * The folder of what npm has installed: the packages as one script, and what V8 made of it, as trusted as they are. Throws
 * where npm left no list.
 */
export function keptFolder(kept: string = besidePackages): string {
  const hash = createHash('sha256').update(readFileSync(join(nodeModules, '.package-lock.json')))
  for (const name of makers) hash.update(readFileSync(join(import.meta.dirname, name)))
  return join(kept, hash.digest('hex').slice(0, 32))
}

export const scriptFile = (folder: string): string => join(folder, 'packages.cjs')

/** Good for one version of V8, its options, and this kind of processor. */
export const codeFile = (folder: string): string => join(folder, `${cachedDataVersionTag()}.code`)

/** The text is ASCII: V8 holds a byte for each character. */
export const scriptOf = (file: string, cachedData?: Buffer): Script =>
  new Script(readFileSync(file, 'latin1'), { filename: file, ...(cachedData ? { cachedData } : {}) })

/** V8 takes compiled code as it comes: what a disk has lost of it would end the process. */
export function writeCode(folder: string, script: Script): void {
  const code = script.createCachedData()
  const sum = Buffer.alloc(sumBytes)
  sum.writeUInt32LE(crc32(code))
  writeFileSync(codeFile(folder), Buffer.concat([sum, code]), { flush: true })
}

function readCode(folder: string): Buffer {
  const bytes = readFileSync(codeFile(folder))
  const code = bytes.subarray(sumBytes)
  if (bytes.readUInt32LE() !== crc32(code)) throw new Error(`${codeFile(folder)} is not whole`)
  return code
}

export function run(script: Script, file: string): ParserPackages {
  const module = { exports: {} as ParserPackages }
  script.runInThisContext()(createRequire(file), module, module.exports, file, dirname(file))
  return module.exports
}

/**
 * The packages from one script that V8 has compiled before: half the time that their own files take. Undefined where
 * they are not kept for such a process.
 */
export function loadKept(kept?: string): ParserPackages | undefined {
  try {
    const folder = keptFolder(kept)
    const file = scriptFile(folder)
    const script = scriptOf(file, readCode(folder))
    return script.cachedDataRejected ? undefined : run(script, file)
  } catch {
    return undefined
  }
}
