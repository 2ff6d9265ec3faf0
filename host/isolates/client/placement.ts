import { createHash } from 'node:crypto'

/**
 * Rendezvous hashing: every place scores for the key and the highest wins. When a place goes, only its own keys move, and
 * every web process decides alike without talking to another.
 */
export function choosePlace<Place extends { id: number }>(key: string, places: readonly Place[]): Place | undefined {
  if (places.length < 2) return places[0]
  const seed = createHash('sha1').update(key).digest().readUInt32LE(0)
  let best: Place | undefined
  let bestScore = -1
  for (const place of places) {
    const score = mixed(seed ^ Math.imul(place.id, 0x9e3779b1))
    if (score > bestScore) {
      best = place
      bestScore = score
    }
  }
  return best
}

/** The finaliser of MurmurHash3. */
function mixed(value: number): number {
  let hash = value >>> 0
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
