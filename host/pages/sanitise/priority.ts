import { setPriority } from 'node:os'

/** Linux alone keeps a priority for each thread; elsewhere it would be the whole process's. */
export const canStepBack = process.platform === 'linux'

/** Makes the calling thread give way to every other of this machine, as runners do. */
export function stepBack(): void {
  if (canStepBack) setPriority(0, 19)
}
