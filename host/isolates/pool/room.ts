import { totalmem } from 'node:os'
import { defaultLimits, type Limits, limitRanges } from '../limits.ts'

export type RunnerRoom = Pick<Limits, 'isolatesPerRunner' | 'isolatesMb' | 'runnerRssMb'>

/** All runners together, the quarantine runner included, may fill so much of the machine with isolates. */
const shareOfMemory = 1 / 4

/**
 * What each of so many ordinary runners may keep on a machine of so much memory: at least the published defaults, which are those of
 * a small machine. A call of an isolate that was dropped costs several times one that was kept, for everybody on a machine
 * whose cores are few; memory that is there is better used for that.
 */
export function roomOfRunners(runners: number, machineMb = memoryOfMachine()): RunnerRoom {
  const { isolatesPerRunner, isolatesMb, runnerRssMb } = defaultLimits()
  const perIsolate = isolatesMb / isolatesPerRunner
  const share = Math.max(isolatesMb, (machineMb * shareOfMemory) / (runners + 1))
  const mb = Math.floor(Math.min(limitRanges.isolatesMb.max, share))
  return {
    isolatesPerRunner: Math.min(limitRanges.isolatesPerRunner.max, Math.floor(mb / perIsolate)),
    isolatesMb: mb,
    // In proportion: what isolates take beside their heaps grows with them, and a full runner may be a tenth over.
    runnerRssMb: Math.floor((runnerRssMb * mb) / isolatesMb),
  }
}

/** What the machine has, or what this process and those it starts were given of it. */
function memoryOfMachine(): number {
  const given = process.constrainedMemory()
  return Math.min(totalmem(), given > 0 ? given : Number.POSITIVE_INFINITY) / 1_048_576
}
