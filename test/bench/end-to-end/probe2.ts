import { writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { startBenchHost } from './bench-host.ts'
import { createFleet } from './fleet-school.ts'
import { openLoopClient } from './open-loop.ts'
const host = await startBenchHost()
const modules = openLoopClient()
const cookies = await createFleet(host.superuser, 'bench', 1000)
const visits = (path: string) => cookies.map((cookie) => ({ path, headers: { accept: 'application/json', cookie: `partner_session=${cookie}` } }))
const ask = (rate: number, s: number) => modules.ask({ url: host.url, perSecond: rate, count: rate * s, requests: visits(process.env.P ?? '/m/bench/hello') })
await ask(50, 2)
const ps = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
const pid = Number(/^\s*(\d+) .*web\/main\.ts/m.exec(ps)?.[1] ?? /^\s*(\d+) .*host\/\S*web\S*/m.exec(ps)?.[1])
console.log(ps.split('\n').filter((l) => /host\//.test(l)).map((l) => l.slice(0, 220)).join('\n'), pid)
process.kill(pid, 'SIGUSR1')
await new Promise((r) => setTimeout(r, 800))
const [{ webSocketDebuggerUrl }] = await (await fetch('http://127.0.0.1:9229/json')).json() as any
const ws = new WebSocket(webSocketDebuggerUrl)
await new Promise((r) => ws.addEventListener('open', r))
let id = 0
const send = (method: string, params = {}) => new Promise<any>((resolve) => { const n = ++id; const on = (e: any) => { const m = JSON.parse(e.data); if (m.id === n) { ws.removeEventListener('message', on); resolve(m.result) } }; ws.addEventListener('message', on); ws.send(JSON.stringify({ id: n, method, params })) })
await send('Profiler.enable'); await send('Profiler.setSamplingInterval', { interval: 100 }); await send('Profiler.start')
const seen = await ask(Number(process.env.RATE ?? 50), 8)
const { profile } = await send('Profiler.stop')
writeFileSync('/tmp/web.cpuprofile', JSON.stringify(profile))
console.log(seen.statuses, seen.times.toSorted((a, b) => a - b)[Math.floor(seen.times.length / 2)])
ws.close(); modules.end(); await host.stop()
