import { setPriority } from 'node:os'
import { setFlagsFromString } from 'node:v8'

/** Linux alone keeps a priority for each thread; elsewhere it would be the whole process's. */
export const canStepBack = process.platform === 'linux'

/** Makes the calling thread give way to every other of this machine, as runners do. */
export function stepBack(): void {
  if (canStepBack) setPriority(0, 19)
}

/**
 * V8 collects a thread's garbage with helper threads that all threads share, at the process's own priority: beside the
 * event loop, whatever priority the thread has that made the garbage. From here on each thread collects its young objects
 * itself. For pages of many small tags the helpers used 400 ms of CPU beside 1,100 ms of the sanitiser's thread, and 250 ms
 * with this. A larger young generation changed nothing; `--single-threaded-gc` left 115 ms, but also gives up concurrent
 * marking, hence lengthens the event loop's own full collections. Called before there are other threads that collect.
 */
export function keepYoungCollectionsInTheirThread(): void {
  setFlagsFromString('--no-parallel-scavenge')
}
