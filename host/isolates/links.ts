import type { Socket } from 'node:net'

/** Ordinary runners serve; the quarantine runner takes first loads and suspects. */
export type RunnerRole = 'ordinary' | 'quarantine'

/** Why a runner is gone, and whose code was running then. */
export type RunnerLoss = {
  reason: string
  /** This link's isolate, or that it was another link's; null where nobody's code is to blame. */
  culprit: number | 'elsewhere' | null
}

/** One web process's connection to one runner. */
export type RunnerLink = {
  id: number
  role: RunnerRole
  socket: Socket
  /** Settles when the runner is gone; it never rejects. */
  lost: Promise<RunnerLoss>
}

/** Where a client gets its links, be they made in this process or handed over by the supervisor. */
export type RunnerLinks = {
  /** Hears of every link, those that exist first. Returns the way to stop. */
  subscribe: (onLink: (link: RunnerLink) => void) => () => void
  /** Asks for a runner's death: it sent what no honest runner sends. */
  condemn: (runner: number, reason: string) => void
}

/** What the supervisor sends a web process; the socket travels with `open`. */
export type LinkMessage =
  | { partner: 'runner.open'; runner: number; role: RunnerRole }
  | { partner: 'runner.lost'; runner: number; loss: RunnerLoss }

/** What a web process sends the supervisor. */
export type CondemnMessage = { partner: 'runner.condemn'; runner: number; reason: string }
