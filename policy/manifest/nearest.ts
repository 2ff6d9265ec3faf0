/** More would be another word. */
const mostTypos = 3

/** The one of the known words that a typing error may have been meant to be; undefined where none is near. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = mostTypos + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= least) continue
    const distance = typosBetween(word, candidate)
    if (distance < least) [best, least] = [candidate, distance]
  }
  return best
}

/** Letters to add, to leave out and to change until one is the other (Levenshtein). */
function typosBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const changed = row[index - 1]! + (other[index - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, row[index]! + 1, next[index - 1]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}
