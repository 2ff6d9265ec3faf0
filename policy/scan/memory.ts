import type { OperationFacts } from '../catalog.ts'
import type { Finding } from '../finding.ts'
import type { Declared, Followed, Kept, ModuleFile, Outline } from '../scopes/analyse.ts'
import type { FileFacts } from '../scopes/facts.ts'
import type { Transcript } from '../scopes/rounds.ts'
import { type Cache, cacheKey } from './cache.ts'

/** What was seen in one file: its findings, and the facts of it that are analysed, if there are any. */
export type Seen = {
  readonly content: string
  readonly findings: readonly Finding[]
  readonly outline: Outline | undefined
  readonly facts: () => FileFacts
}

type KeptFile = {
  /** Among those whose values are followed; it keeps it as long as it is there. */
  readonly number: number | undefined
  readonly content: string
  readonly findings: readonly Finding[]
  readonly outline: Outline | undefined
  readonly followed: KeptFollowing | undefined
}

type KeptFollowing = Omit<Kept, 'transcript'> & { readonly beginning: string; readonly transcript: string }
type Index = { readonly platform: string; readonly next: number; readonly files: ReadonlyMap<string, KeptFile> }

/** What the scan before left of a module: its files as they were, and how their values were followed. */
export type Memory = {
  /** A file that has not changed since. */
  seen(file: string, content: string): Seen | undefined
  /** What is kept for following the values of these files; nothing if the manifest or the platform has changed. */
  recall(files: ReadonlyMap<string, Seen>, platform: string): Recalled
  keep(files: ReadonlyMap<string, Seen>, recalled: Recalled, followed: ReadonlyMap<number, FollowedFile>): void
}
export type Recalled = {
  readonly platform: string
  readonly files: ReadonlyMap<string, ModuleFile>
  readonly gone: ReadonlyMap<number, Kept>
}
type FollowedFile = Followed & { readonly beginning: string }

/** Of a module without code. */
export const nothingFollowed: Recalled = { platform: '', files: new Map(), gone: new Map() }

/** Something the index speaks of is not there: another scan has replaced it meanwhile. The scan begins again without. */
export class MemoryLost extends Error {}

const empty: Index = { platform: '', next: 0, files: new Map() }

/** What of a file's facts is needed even where its values are not followed. */
export function outlineOf({ types, declaredTypes, reexports, specifiers, requiredScopes }: FileFacts): Outline {
  return { types, declaredTypes, reexports, specifiers, requiredScopes }
}

/** All that decides how values are followed, beside the files themselves. */
export function platformKey(entry: string, operations: readonly OperationFacts[], declared: Declared): string {
  return cacheKey(JSON.stringify([entry, operations, declared]))
}

export function openMemory(cache: Cache): Memory {
  const index = (cache.read('index') as Index | undefined) ?? empty
  const load = <Value>(key: string): Value => {
    const value = cache.read(key)
    if (value === undefined) throw new MemoryLost(`the cache lacks ${key}`)
    return value as Value
  }
  const keptOf = ({ followed }: KeptFile): (Kept & { beginning: string }) | undefined =>
    followed && { ...followed, transcript: () => load<Transcript>(followed.transcript) }

  return {
    seen(file, content) {
      const known = index.files.get(file)
      if (known?.content !== content) return undefined
      const { findings, outline } = known
      return { content, findings, outline, facts: () => load<FileFacts>(factsKey(content)) }
    },
    recall(files, platform) {
      const same = index.platform === platform
      let next = index.next
      const recalled = new Map<string, ModuleFile>()
      for (const [file, { outline, facts, content }] of files) {
        if (!outline) continue
        const known = index.files.get(file)
        const number = known?.number ?? next++
        recalled.set(file, { number, outline, facts, content, kept: same && known ? keptOf(known) : undefined })
      }
      const gone = [...index.files].flatMap(([file, known]): [number, Kept][] => {
        const kept = same && !recalled.has(file) ? keptOf(known) : undefined
        return kept && known.number !== undefined ? [[known.number, kept]] : []
      })
      return { platform, files: recalled, gone: new Map(gone) }
    },
    keep(files, recalled, followed) {
      const kept = new Map<string, KeptFile>()
      let { next } = index
      for (const [file, { content, findings, outline, facts }] of files) {
        const before = index.files.get(file)
        const number = recalled.files.get(file)?.number ?? before?.number
        if (number !== undefined) next = Math.max(next, number + 1)
        const fresh = number === undefined ? undefined : followed.get(number)
        const now = fresh && number !== undefined ? keepFollowing(cache, number, fresh) : before?.followed
        if (outline && before?.content !== content) cache.write(factsKey(content), facts())
        kept.set(file, { number, content, findings, outline, followed: recalled.files.has(file) ? now : undefined })
      }
      const changed = followed.size > 0 || recalled.gone.size > 0 || !sameContents(index, kept)
      if (!changed && index.platform === recalled.platform) return
      forget(cache, index, kept)
      cache.write('index', { platform: recalled.platform, next, files: kept } satisfies Index)
    },
  }
}

function keepFollowing(
  cache: Cache,
  number: number,
  { result, last, beginning, transcript }: FollowedFile,
): KeptFollowing {
  const key = `heard ${number} ${cacheKey(JSON.stringify(transcript))}`
  cache.write(key, transcript)
  return { result, last, beginning, transcript: key }
}

function sameContents(index: Index, kept: ReadonlyMap<string, KeptFile>): boolean {
  return (
    index.files.size === kept.size &&
    [...kept].every(([file, { content }]) => index.files.get(file)?.content === content)
  )
}

/** Removes what only the index before speaks of. */
function forget(cache: Cache, index: Index, kept: ReadonlyMap<string, KeptFile>): void {
  for (const [file, { content, followed }] of index.files) {
    const now = kept.get(file)
    if (now?.content !== content) cache.remove(factsKey(content))
    if (followed && now?.followed?.transcript !== followed.transcript) cache.remove(followed.transcript)
  }
}

function factsKey(content: string): string {
  return `facts ${content}`
}
