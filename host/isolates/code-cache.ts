import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Rank } from '../processes/rank.ts'
import { spawnProcess } from '../processes/spawn-process.ts'
import { buildRunnerJail, type RunnerJail } from './runner-jail.ts'
import { engineFlags } from './runner-image.ts'

const macBytes = 32
const compileMs = 10_000

const engine = `${process.version}\n${process.arch}\n${engineFlags.join(' ')}\n`

/** What a cache is good for: this code, this Node, these V8 flags. V8 accepts a cache with a flipped byte: it is code. */
const mac = (cache: Uint8Array, hash: string, key: Uint8Array) =>
  createHmac('sha256', key).update(`${hash}\n${engine}`).update(cache).digest()

/** Names the engine and the key whose caches this host can use: those of another Node, say, have another name. */
export const codeCacheMaker = (key: Uint8Array): string =>
  createHmac('sha256', key).update(engine).digest('base64url').slice(0, 16)

/** Binds a cache to its bundle and this host's key. */
export function sealCodeCache(cache: Uint8Array, hash: string, key: Uint8Array): Uint8Array {
  return Buffer.concat([mac(cache, hash, key), cache])
}

/** The cache inside, or undefined when one bit of it, its bundle or the engine is another. */
export function openCodeCache(sealed: Uint8Array, hash: string, key: Uint8Array): Uint8Array | undefined {
  if (sealed.length <= macBytes) return undefined
  const cache = sealed.subarray(macBytes)
  return timingSafeEqual(mac(cache, hash, key), sealed.subarray(0, macBytes)) ? cache : undefined
}

/** Opens caches, each object once: the same one serves every installation of a version. */
export function createCodeCacheOpener(key: Uint8Array): (sealed: Uint8Array, hash: string) => Uint8Array | undefined {
  const opened = new WeakMap<Uint8Array, { hash: string; cache: Uint8Array | undefined }>()
  return (sealed, hash) => {
    const known = opened.get(sealed)
    if (known?.hash === hash) return known.cache
    const cache = openCodeCache(sealed, hash, key)
    opened.set(sealed, { hash, cache })
    return cache
  }
}

/**
 * Compiles, without running a line of it, in a jailed process that is thrown away, and gives V8's code cache. Throws when
 * the code does not compile, or not in ten seconds, or when `signal` aborts it.
 */
export async function compileCodeCache(
  code: string,
  jail: RunnerJail = buildRunnerJail(),
  { rank = 'ordinary', signal }: { rank?: Rank; signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const { program, args } = jail.command('compiler', '{}')
  const spawned = spawnProcess(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {},
    timeout: compileMs,
    killSignal: 'SIGKILL',
    signal,
  })
  if (!spawned.child) throw await spawned.why
  const { child, pid } = spawned
  if (rank !== 'ordinary') jail.settle(pid, rank)
  const door = child.stdio[3] as Socket
  const chunks: Buffer[] = []
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint = (complaint + String(text)).slice(-2_000)
  })
  door.on('data', (chunk) => chunks.push(chunk))
  door.on('error', () => {})
  door.end(code)
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (status !== 0) throw new Error(`the bundle does not compile: ${complaint.trim().split('\n')[0] ?? ''}`)
  return Buffer.concat(chunks)
}
