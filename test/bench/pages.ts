import { browse, createPerson, installModule, scriptedGuest, signIn } from '../pages/support.ts'
import { createTestDatabase } from '../support/database.ts'
import { createSchool, installApp } from '../support/school.ts'
import { startWeb } from '../support/web.ts'
import { type BenchLine, lineOfRounds, type Pair } from './bench-line.ts'
import { type Asked, openLoopClient } from './end-to-end/open-loop.ts'

const rounds = 5
/** Requests of the API in one measurement, and a second; then the hostile pages asked for in a second. */
const reads = 600
const readsPerSecond = 300
const pagesPerSecond = 8
/** The first is the longest to clean: what it leaves behind must not be beside the next round's quiet figure. */
const hostile = {
  'pages-slow-to-clean': `h200\n${'<p title="a">&amp;x</p>'.repeat(11_000)}`,
  'pages-nested-1mb': `h200\n${'<b>'.repeat(349_525)}`,
  'pages-nested-256kb': `h200\n${'<b>'.repeat(87_000)}`,
}

/**
 * The API's p99 while a module answers with hostile pages, against the p99 while none is called. Both clients ask at fixed
 * rates and count from the moment a request was due: so a slow answer neither lowers the load nor hides the wait of those
 * behind it, and the API is asked exactly as often with pages as without. Each round measures it without, then with each page.
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
  const asked = (path: string, headers: Record<string, string>, perSecond: number): Asked => ({
    url: web.url,
    requests: [{ path, headers }],
    count: Math.ceil((reads / readsPerSecond) * perSecond),
    perSecond,
  })
  const read = asked('/apps/whoami', { authorization: `Bearer ${token}` }, readsPerSecond)
  const visit = asked('/m/library', { cookie: browser.cookie }, pagesPerSecond)
  const [api, pages] = [openLoopClient(), openLoopClient()]
  const p99 = async (): Promise<number> => {
    const { times } = await api.ask(read)
    return times.toSorted((a, b) => a - b)[Math.floor(reads * 0.99)]!
  }
  const during = async (work: () => Promise<number>): Promise<number> => {
    const [result] = await Promise.all([work(), pages.ask(visit)])
    return result
  }
  try {
    await p99()
    const seen = Object.entries(hostile).map(([name, answer]) => ({ name, answer, pairs: [] as Pair[] }))
    const pagesOf = (answer: string) => {
      guest.answer = answer
      return during(p99)
    }
    for (const { answer } of seen) await pagesOf(answer)
    for (let round = 0; round < rounds; round++) {
      const peer = await p99()
      for (const { answer, pairs } of seen) pairs.push({ peer, ours: await pagesOf(answer) })
    }
    return seen.map(({ name, pairs }) => lineOfRounds(name, pairs, 1.2))
  } finally {
    for (const client of [api, pages]) client.end()
    await web.close()
    await database.drop()
  }
}
