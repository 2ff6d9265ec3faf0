import type { Rank } from '../rank.ts'
import type { ProcessStat } from './process-stat.ts'

/** Looks in a row, 20 ms apart, at a runner that wants the CPU and has not run since the one before. */
const starvedLooks = 2
/** So long it then has it, in ms. */
const spellMs = 2_000

/**
 * What a runner gets of the CPU. What nobody else wants, as a rule: then a guest's work, however long, is put aside the
 * moment the platform has some of its own. On a machine that leaves nothing over, a tenth, so that honest calls go on;
 * not while its guests burn. And a share like anybody's while it is in a hurry, to answer its watchdog or be judged.
 */
export function createStanding(order: (rank: Rank) => void, now: () => number = () => performance.now()) {
  let rank: Rank = 'low'
  let hurried = false
  let lastRanNs = -1
  let hungryLooks = 0
  let fedUntil = 0

  const decide = (burns: boolean) => {
    const wanted = hurried ? 'ordinary' : !burns && now() < fedUntil ? 'low' : 'last'
    if (wanted === rank) return
    rank = wanted
    order(wanted)
  }
  return {
    /** One look. `burns`: its guests hold it. */
    seen({ ranNs, runnable }: ProcessStat, burns: boolean) {
      hungryLooks = runnable && ranNs === lastRanNs ? hungryLooks + 1 : 0
      lastRanNs = ranNs
      if (hungryLooks >= starvedLooks) fedUntil = now() + spellMs
      decide(burns)
    },
    hurry(wanted: boolean) {
      hurried = wanted
      decide(false)
    },
  }
}
