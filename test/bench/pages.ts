import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { browse, createPerson, installModule, scriptedGuest, signIn } from '../pages/support.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb } from '../support/web.ts'
import { type BenchLine, median } from './bench-line.ts'

const rounds = 5
/** Requests of the API in one measurement, and a second; then the hostile pages asked for in a second. */
const reads = 600
const readsPerSecond = 200
const pagesPerSecond = 8
const hostile = {
  'pages-nested-1mb': `h200\n${'<b>'.repeat(349_525)}`,
  'pages-nested-256kb': `h200\n${'<b>'.repeat(87_000)}`,
  'pages-slow-to-clean': `h200\n${'<p title="a">&amp;x</p>'.repeat(11_000)}`,
}

/**
 * The API's p99 while a module answers with hostile pages, against the p99 while none is called. Both clients ask at fixed
 * rates and count from the moment a request was due: so a slow answer neither lowers the load nor hides the wait of those
 * behind it, and the API is asked exactly as often with pages as without. Each round measures both, one after the other.
 */
export async function run(): Promise<BenchLine[]> {
  const database = await createTestDatabase()
  const guest = scriptedGuest()
  const web = await startWeb(database, { moduleCalls: guest })
  const school = await createSchool(database.admin)
  const { token } = await installApp(database.admin, school)
  await installModule(database, school, 'library')
  const browser = browse(web)
  await signIn(browser, await createPerson(database, school))
  const client = (path: string, headers: Record<string, string>, perSecond: number) =>
    new Worker(new URL('./pages-client.ts', import.meta.url), {
      workerData: { url: web.url, path, headers, perSecond },
    })
  const api = client('/apps/whoami', { authorization: `Bearer ${token}` }, readsPerSecond)
  const pages = client('/m/library', { cookie: browser.cookie }, pagesPerSecond)
  const p99 = async (): Promise<number> => {
    api.postMessage(reads)
    const [took] = (await once(api, 'message')) as [number[]]
    return took.toSorted((a, b) => a - b)[Math.floor(reads * 0.99)]!
  }
  const during = async (work: () => Promise<number>): Promise<number> => {
    const shown = once(pages, 'message')
    pages.postMessage(Math.ceil((reads / readsPerSecond) * pagesPerSecond))
    const result = await work()
    await shown
    return result
  }
  try {
    await p99()
    const lines: BenchLine[] = []
    for (const [name, answer] of Object.entries(hostile)) {
      guest.answer = answer
      await during(p99)
      const pairs: { ours: number; peer: number }[] = []
      for (let round = 0; round < rounds; round++) pairs.push({ peer: await p99(), ours: await during(p99) })
      const ratio = median(pairs.map(({ ours, peer }) => ours / peer))
      const { ours, peer } = pairs.find((pair) => pair.ours / pair.peer === ratio)!
      lines.push({ name, ratio, goal: 1.2, better: 'lower', ours, peer, unit: 'ms' })
    }
    return lines
  } finally {
    await Promise.all([api.terminate(), pages.terminate()])
    await web.close()
    await database.drop()
  }
}
