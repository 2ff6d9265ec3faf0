import type { Rank } from './rank.ts'
import type { ProcessStat } from './process-stat.ts'

/** Looks in a row at a process that wants the CPU and has not run since the one before. */
const starvedLooks = 2
/** So long it then has it, in ms. */
const spellMs = 2_000

/**
 * What a process that works for guests gets of the CPU, where there are control groups. What nobody else wants, as a rule:
 * then a guest's work, however long, is put aside the moment the platform has some of its own. On a machine that leaves
 * nothing over, a share like anybody's, so that honest calls go on; a third of one while its guests burn. In a hurry, to
 * answer its watchdog or be judged, a share in any case.
 */
export function createStanding(order: (rank: Rank) => void, now: () => number = () => performance.now()) {
  let rank: Rank = 'ordinary'
  let hurried = false
  let burning = false
  let lastRanNs = -1
  let hungryLooks = 0
  let fedUntil = 0

  const decide = () => {
    const fed = now() < fedUntil
    const wanted = hurried || (fed && !burning) ? 'ordinary' : fed ? 'low' : 'last'
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
      burning = burns
      decide()
    },
    hurry(wanted: boolean) {
      hurried = wanted
      decide()
    },
  }
}
