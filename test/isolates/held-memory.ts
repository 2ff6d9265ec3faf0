import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** What this process holds on its heap and beside it once nothing is left to collect, in MB. */
export async function heldMb(): Promise<number> {
  // What is collected is given back a turn or two later.
  for (let turn = 0; turn < 5; turn++) {
    collect()
    await new Promise(setImmediate)
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1_048_576
}
