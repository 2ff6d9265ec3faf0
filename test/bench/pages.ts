import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { browse, createPerson, installModule, scriptedGuest, signIn } from '../pages/support.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb } from '../support/web.ts'
import { type BenchLine, median } from './bench-line.ts'

const rounds = 5
const reads = 2_000
const hostile = {
  'pages-nested-1mb': `h200\n${'<b>'.repeat(349_525)}`,
  'pages-nested-256kb': `h200\n${'<b>'.repeat(87_000)}`,
  'pages-slow-to-clean': `h200\n${'<p title="a">&amp;x</p>'.repeat(11_000)}`,
}

/** The API's p99 while a module answers with hostile pages, against the p99 while none is called. */
export async function run(): Promise<BenchLine[]> {
  const database = await createTestDatabase()
  const guest = scriptedGuest()
  const web = await startWeb(database, { moduleCalls: guest })
  const school = await createSchool(database.admin)
  const { token } = await installApp(database.admin, school)
  await installModule(database, school, 'library')
  const browser = browse(web)
  await signIn(browser, await createPerson(database, school))
  const client = (path: string, headers: Record<string, string>, load: { atOnce: number; pauseMs: number }) =>
    new Worker(new URL('./pages-client.ts', import.meta.url), { workerData: { url: web.url, path, headers, ...load } })
  const api = client('/apps/whoami', { authorization: `Bearer ${token}` }, { atOnce: 16, pauseMs: 0 })
  const pages = client('/m/library', { cookie: browser.cookie }, { atOnce: 1, pauseMs: 50 })
  const p99 = async (): Promise<number> => {
    api.postMessage(reads)
    const [took] = (await once(api, 'message')) as [number[]]
    return took.toSorted((a, b) => a - b)[Math.floor(reads * 0.99)]!
  }
  const during = async (work: () => Promise<number>): Promise<number> => {
    let measuring = true
    const calls = (async () => {
      while (measuring) {
        pages.postMessage(1)
        await once(pages, 'message')
      }
    })()
    const result = await work()
    measuring = false
    await calls
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
