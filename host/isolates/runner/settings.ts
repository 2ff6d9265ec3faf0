import type { Limits } from '../limits.ts'

/** What a runner is told at its start, as one JSON argument. */
export type RunnerSettings = { lanes: number; limits: Limits; housekeepingMs: number }

/** Inherited descriptors: the supervisor's socket, the journal file, then one socket for each web process. */
export const controlFd = 3
export const journalFd = 4
export const firstLaneFd = 5

/** The bundle's name in stacks; the host maps lines of this file through the source map. */
export const bundleFile = 'partner:bundle'
