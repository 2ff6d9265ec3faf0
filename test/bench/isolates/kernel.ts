import { createContext, Script } from 'node:vm'
import { startSandbox } from '../../isolates/support.ts'
import type { BenchLine } from '../bench-line.ts'
import { alternate, line } from './support.ts'

const kernel = `(() => {
  const words = new Map()
  for (let i = 0; i < 60000; i++) {
    const word = 'w' + ((i * 7919) % 5003)
    words.set(word, (words.get(word) ?? 0) + i)
  }
  const sorted = [...words].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  let sum = 0
  for (let i = 0; i < 2e6; i++) sum = (sum * 31 + i) | 0
  return JSON.parse(JSON.stringify(sorted.slice(0, 2000))).length + sum
})()`

/** Plain computing in an isolate against the same in node:vm: the sandbox costs a call, not the code. */
export async function run(): Promise<BenchLine[]> {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  const context = createContext({})
  const script = new Script(kernel)
  const timed = async (operation: () => unknown) => {
    const start = performance.now()
    for (let i = 0; i < 10; i++) await operation()
    return (performance.now() - start) / 10
  }
  try {
    const took = await alternate(5, {
      ours: () => timed(() => sandbox.run('kernel', `() => ${kernel}`)),
      peer: () => timed(() => script.runInContext(context)),
    })
    return [line('computing in a module / node:vm', took.ours, took.peer, 1.3, 'ms')]
  } finally {
    await sandbox.close()
  }
}
