import { randomBytes } from 'node:crypto'
import ivm from 'isolated-vm'
import { compileCodeCache, sealCodeCache } from '../../../host/isolates/code-cache.ts'
import type { GuestBundle } from '../../../host/isolates/client/types.ts'
import { startSandbox } from '../../isolates/support.ts'
import { largeBundle, smallBundle } from './bundles.ts'
import type { BenchLine } from '../bench-line.ts'
import { alternate, line } from './support.ts'

/** Single starts in turn: the machine's pace changes from second to second, and must change for all of them. */
const rounds = 40
/** Between two cold starts a runner has time to make the next isolate ahead, as it has in life. */
const pauseMs = 12

/** An installation's first answer, isolate made and bundle run: against an empty isolate, and against no code cache. */
export async function run(): Promise<BenchLine[]> {
  const key = randomBytes(32)
  const sandbox = await startSandbox({}, { runners: 1, spares: 0, codeCacheKey: key })
  let installations = 0
  try {
    const small = await smallBundle()
    const large = await largeBundle()
    const cached = async (bundle: GuestBundle): Promise<GuestBundle> => {
      return { ...bundle, codeCache: sealCodeCache(await compileCodeCache(bundle.code), bundle.hash, key) }
    }
    const [smallCached, largeCached] = [await cached(small), await cached(large)]
    const firstAnswer = async (app: string, bundle: GuestBundle) => {
      const start = performance.now()
      const answer = await sandbox.client.call({
        installation: { id: `installation-${++installations}`, app, version: '1', tenantId: 't' },
        loadBundle: async () => bundle,
        entry: 'describe',
        input: '{}',
        serve: async () => 'null',
      })
      if (!answer.ok) throw new Error(answer.error.message)
      return performance.now() - start
    }
    const rested = async (measure: () => Promise<number> | number) => {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      return measure()
    }
    const took = await alternate(rounds, {
      empty: () => rested(emptyIsolate),
      small: () => rested(() => firstAnswer('small', smallCached)),
      large: () => rested(() => firstAnswer('large', largeCached)),
      uncached: () => rested(() => firstAnswer('large', large)),
    })
    return [
      line('cold-start of 59 kB / an empty isolate', took.small, took.empty, 2.3, 'ms'),
      line('cold-start of 0.5 MB with its code cache / without', took.large, took.uncached, 0.55, 'ms'),
    ]
  } finally {
    await sandbox.close()
  }
}

function emptyIsolate(): number {
  const start = performance.now()
  const isolate = new ivm.Isolate({ memoryLimit: 64 })
  isolate.createContextSync()
  const took = performance.now() - start
  isolate.dispose()
  return took
}
