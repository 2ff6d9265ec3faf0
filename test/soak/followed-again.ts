import { checkEdits } from '../policy/support/following.ts'
import { checkTangles } from '../policy/support/tangles.ts'

const rounds = 20

/**
 * Thousands of edits of a module, after each of which a scan that remembers must say what one without a memory says; and
 * thousands of modules that lead values in circles.
 */
export async function soak(): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    checkEdits(200, Date.now() + round)
    checkTangles(200, Date.now() + round)
  }
}
