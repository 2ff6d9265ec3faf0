/** What a record's fields hold. */
export type State = { full_name: string; national_id: string | null }

/** A call of one record: when it began and ended, what it set (null: it read) and what it was answered. */
export type Done = { from: number; to: number; set: Partial<State> | null; seen: State }

const same = (a: State, b: State): boolean => a.full_name === b.full_name && a.national_id === b.national_id

/** Whether these calls can have happened one after another, each between its beginning and its end. */
export function isLinear(calls: readonly Done[], first: State, last: State): boolean {
  const dead = new Set<string>()
  const walk = (left: readonly number[], state: State): boolean => {
    if (left.length === 0) return same(state, last)
    const here = JSON.stringify([left, state.full_name, state.national_id])
    if (dead.has(here)) return false
    dead.add(here)
    const firstEnd = Math.min(...left.map((index) => calls[index]!.to))
    return left.some((index) => {
      const { from, set, seen } = calls[index]!
      const next = { ...state, ...set }
      if (from > firstEnd || !same(next, seen)) return false
      return walk(
        left.filter((one) => one !== index),
        next,
      )
    })
  }
  return walk([...calls.keys()], first)
}
