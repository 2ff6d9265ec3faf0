import type { OperationFacts } from '../catalog.ts'
import { type Analysis, startFollowing } from '../scopes/analyse.ts'
import type { ReadManifest } from './read-manifest.ts'
import type { Reader } from './reader.ts'
import { createResolver } from './resolve.ts'

/**
 * Follows the values of the files whose facts are in the cache while another thread still reads those that changed. The
 * answer finishes it with them; undefined where what came of them is not what was expected when it began: a file that
 * cannot be read, or one nobody had listed, may change where imports lead.
 */
export function followEarly(
  reader: Reader,
  entry: string,
  operations: readonly OperationFacts[],
  { declared }: ReadManifest,
): () => Analysis | undefined {
  const expected = new Set(reader.files())
  const following = startFollowing(
    entry,
    createResolver((file) => expected.has(file)),
    operations,
    declared,
  )
  const known = reader.facts()
  following.follow(known)
  return () => {
    const files = reader.files()
    if (files.length !== expected.size || !files.every((file) => expected.has(file))) return undefined
    return following.finish(new Map([...reader.facts()].filter(([file]) => !known.has(file))))
  }
}
