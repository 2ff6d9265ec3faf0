import type { Claimed } from './claim.ts'

/** Requests at once to one receiver. */
const fullWidth = 16
/** Requests at once to a receiver that failed the last times: it is asked, but holds few connections. */
const narrowWidth = 2
const failuresUntilNarrow = 4
/** Deliveries claimed ahead for a receiver, so that it never waits for the database. */
const claimedAhead = 112

type Lane = { waiting: Claimed[]; running: number; failures: number }

/** Each app's receiver has a lane of its own: however slow it is, it takes no room from another. */
export type ReceiverLanes = {
  add(deliveries: readonly Claimed[]): void
  /** Deliveries that may be sent now; each must be ended by `done`. */
  take(): Claimed[]
  /** `ok` says how the receiver answered; null where nothing was sent to it, which tells nothing of it. */
  done(appId: string, ok: boolean | null): void
  /** Room for more claims; null where it is not worth asking yet. */
  slots(): { standard: number; byApp: Map<string, number> }
  /** Empties the lanes: what was claimed and not begun. */
  drop(): Claimed[]
  running(): number
}

export function createReceiverLanes(): ReceiverLanes {
  const lanes = new Map<string, Lane>()
  const laneOf = (appId: string) => {
    const known = lanes.get(appId)
    if (known) return known
    const lane: Lane = { waiting: [], running: 0, failures: 0 }
    lanes.set(appId, lane)
    return lane
  }
  const widthOf = ({ failures }: Lane) => (failures >= failuresUntilNarrow ? narrowWidth : fullWidth)
  const roomOf = (lane: Lane) => {
    const width = widthOf(lane)
    const ahead = width === fullWidth ? claimedAhead : 0
    const room = width + ahead - lane.running - lane.waiting.length
    // Claims are made by the handful: a statement for each free slot would cost more than it moves.
    return room >= (width + ahead) / 4 ? room : 0
  }
  return {
    add(deliveries) {
      for (const delivery of deliveries) laneOf(delivery.app_id).waiting.push(delivery)
    },
    take() {
      const taken: Claimed[] = []
      for (const lane of lanes.values()) {
        const next = lane.waiting.splice(0, Math.max(0, widthOf(lane) - lane.running))
        lane.running += next.length
        taken.push(...next)
      }
      return taken
    },
    done(appId, ok) {
      const lane = laneOf(appId)
      lane.running--
      if (ok !== null) lane.failures = ok ? 0 : lane.failures + 1
      if (lane.running === 0 && lane.waiting.length === 0 && lane.failures === 0) lanes.delete(appId)
    },
    slots: () => ({
      standard: fullWidth + claimedAhead,
      byApp: new Map([...lanes].map(([appId, lane]) => [appId, roomOf(lane)])),
    }),
    drop: () => [...lanes.values()].flatMap((lane) => lane.waiting.splice(0)),
    running: () => [...lanes.values()].reduce((sum, { running }) => sum + running, 0),
  }
}
