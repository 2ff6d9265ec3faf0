import { spawn } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { type BenchLine, lineOfRounds, type Pair } from '../bench-line.ts'
import { type BenchHost, startBenchHost } from './bench-host.ts'
import { createFleet } from './fleet-school.ts'
import { type Answers, type Asked, type OpenLoopClient, openLoopClient } from './open-loop.ts'
import { residentMb } from './resident.ts'
import { startPeer } from '../support/peer.ts'

const installations = 1_000
const rounds = 5
/** Of so many requests, one stall of the machine (20 to 40 ms) makes one or two in a hundred late. */
const seconds = 2
/** Rounds in which loops of nothing are measured too. */
const loopRounds = 2
/** Of each installation, before anything is measured: a host runs for days, its code is compiled by then. */
const visits = 2
/** What a runner takes to sweep what so many loads left behind, one by one with rests between: once in a host's life. */
const sweptMs = installations * 15
/** Requests a second: of the API; of installations at random. */
const perSecond = { api: 480, called: 50 }
/** What keeps a runner at work: calls of 120 ms; on the quarantine runner calls that use up their second of CPU. */
const perRunner = { burn: 8, endless: 1 }

type Four<Each> = [Each, Each, Each, Each]

/**
 * The API's p99 of a host with a thousand installations: while they are called at random, and while every runner burns,
 * against none called in the same round. Clients ask at fixed rates and count from when a request was due.
 *
 * All were called before: a runner of a machine with 18 GB keeps them all, two megabytes each. Where it keeps 200, four of
 * five calls are cold: 2.6 was seen on two cores. And all were swept: sweeping goes on while nobody calls, and made the
 * figure of none called too high.
 *
 * What the machine makes of other neighbours is measured too, only told, and judges nobody.
 * - Instead of the calls: a route that answers with a constant, in a bare server of its own, asked as often by a client like
 *   theirs. It made it 0.8 to 1.4, so what is above 1 with calls is what they use of two cores that hold all clients and the
 *   database too, 3 ms each at so few a second: a process that only spins, 0.8 ms every 5 ms, made it 1.2 to 1.4. Calls in a
 *   web process of their own, in an ordinary or a low control group, made it 1.4 to 1.5, where one web process made it 1.5;
 *   a turn of the event loop for others between the pieces of a call made it 1.4 and 1.8, where none made it 1.3 and 1.4.
 * - Instead of burning runners: loops of nothing, as many and as nice as runners were without control groups, but on every
 *   core. On two virtual cores they alone made it 2.0 to 5.0; where both are busy at once, the machine that lends them takes
 *   1 to 2 % of their time away in pieces of 4 to 38 ms, which is where a p99 looks.
 */
export async function run(): Promise<BenchLine[]> {
  const host = await startBenchHost()
  const bare = await startPeer(host.superuser, host.tenant)
  const [api, modules, endless, routes] = Array.from({ length: 4 }, openLoopClient) as Four<OpenLoopClient>
  try {
    const asked = asking(host, bare.url, await createFleet(host.superuser, 'bench', installations))
    const p99 = async () => percentile(only([200], await api.ask(asked.api)).times, 0.99)
    const quiet = residentMb(host.process.pid!)
    const scenes = {
      bare: async () => [only([200], await routes.ask(asked.bare))],
      called: async () => [only([200], await modules.ask(asked.called))],
      burning: async () =>
        (await Promise.all([modules.ask(asked.burn), endless.ask(asked.endless)])).map((seen) =>
          only([200, 500, 503], seen),
        ),
      loops: () => loopsOfNothing(availableParallelism(), seconds * 1_000),
    }
    const seen: Record<keyof typeof scenes, Pair[]> = { bare: [], called: [], burning: [], loops: [] }
    await p99()
    for (let visit = 0; visit < visits; visit++) await visitEach(asked.called)
    await new Promise((swept) => setTimeout(swept, sweptMs))
    for (let round = 0; round < rounds; round++) {
      const peer = await p99()
      for (const scene of round < loopRounds
        ? (['bare', 'called', 'burning', 'loops'] as const)
        : (['bare', 'called', 'burning'] as const)) {
        const [ours] = await Promise.all([p99(), scenes[scene]()])
        seen[scene].push({ ours, peer })
      }
    }
    console.error(
      `host of ${installations} installations: ${quiet} MB resident, ${residentMb(host.process.pid!)} MB after the calls`,
    )
    tell('a bare route called as often', seen.bare)
    tell('as many loops of nothing as cores', seen.loops)
    return [
      lineOfRounds(
        'end-to-end installations-called: p99 of the API, 1,000 called at random / none called',
        seen.called,
        1.2,
      ),
      lineOfRounds(
        'end-to-end installations-burning: p99 of the API, every runner burning / none called',
        seen.burning,
        2,
      ),
    ]
  } finally {
    for (const client of [api, modules, endless, routes]) client.end()
    await Promise.all([bare.stop(), host.stop()])
  }
}

const tell = (neighbours: string, rounds: Pair[]) =>
  console.error(`p99 of the API, ${neighbours} / none called: ${lineOfRounds('', rounds, 0).ratio.toFixed(2)}`)

/** Every installation once, a few at a time. */
async function visitEach({ url, requests }: Asked): Promise<void> {
  const left = requests.values()
  const visit = async () => {
    for (const { path, headers } of left) {
      const answer = await fetch(url + path, { headers })
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 8 }, visit))
}

/** What no platform has a part in: processes that only use the CPU, with a runner's priority. */
async function loopsOfNothing(count: number, ms: number): Promise<void> {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for(;;);'], { stdio: 'ignore' }))
  for (const { pid } of loops) setPriority(pid!, 10)
  await new Promise((resolve) => setTimeout(resolve, ms))
  for (const loop of loops) loop.kill('SIGKILL')
}

function asking(
  { url, api, browser }: BenchHost,
  bareUrl: string,
  cookies: string[],
): Record<'api' | 'bare' | 'called' | 'burn' | 'endless', Asked> {
  const at = (rate: number) => ({ url, perSecond: rate, count: Math.ceil(seconds * rate) })
  const visits = (path: string) =>
    cookies.map((cookie) => ({ path, headers: { accept: 'application/json', cookie: `partner_session=${cookie}` } }))
  return {
    api: { ...at(perSecond.api), requests: [{ path: '/apps/whoami', headers: api }] },
    bare: { ...at(perSecond.called), url: bareUrl, requests: [{ path: '/constant', headers: {} }] },
    called: { ...at(perSecond.called), requests: visits('/m/bench/hello') },
    burn: { ...at(perRunner.burn * Math.max(1, availableParallelism() - 1)), requests: visits('/m/bench/burn') },
    endless: { ...at(perRunner.endless), requests: [{ path: '/m/endless/', headers: browser }] },
  }
}

/** A bench of refusals would say nothing. */
function only(wanted: number[], seen: Answers): Answers {
  if (Object.keys(seen.statuses).every((status) => wanted.includes(Number(status)))) return seen
  throw new Error(`answers: ${JSON.stringify(seen.statuses)}, the first refusal: ${seen.firstRefusal}`)
}

const percentile = (times: number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)]!
