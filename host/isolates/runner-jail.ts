import { buildJail, type Jail, type JailSystem } from '../jail/jail.ts'
import { copiedImage, installedImage, type RunnerScript } from './runner-image.ts'

export type RunnerJail = Jail<RunnerScript>

/** The strictest jail of runners that this system allows. */
export const buildRunnerJail = (changes: Partial<JailSystem<RunnerScript>> = {}): RunnerJail =>
  buildJail({ installed: installedImage(), elsewhere: copiedImage, ...changes })
