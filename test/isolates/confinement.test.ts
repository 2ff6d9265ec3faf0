import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { coresOf } from '../../host/jail/cores.ts'
import { createConfinement } from '../../host/isolates/pool/confinement.ts'
import { startSandbox } from './support.ts'

const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
after(() => sandbox.close())
const holds = sandbox.pool.jail.inForce.some((line) => line.startsWith('off the first core'))
const why = 'there is one core, or no taskset'

/** A runner on a clock of its own, looked at every 20 ms. */
function watched() {
  const orders: boolean[] = []
  let [at, cpuMs] = [0, 0]
  const confinement = createConfinement(
    (confined) => orders.push(confined),
    () => at,
  )
  /** Uses this share of a core for so long. `owes`: a guest keeps it from answering its watchdog. */
  const works = (ms: number, share: number, owes = share >= 0.5) => {
    for (const end = at + ms; at < end; ) {
      at += 20
      cpuMs += 20 * share
      confinement.seen(cpuMs, owes)
    }
    return orders
  }
  return works
}

test('a runner that is held is confined within three looks', () => {
  const works = watched()
  assert.deepEqual(works(1_000, 0.3), [])
  assert.deepEqual(works(60, 1), [true])
})

test('one that answers, however busy, and one that is kept waiting for the CPU are not', () => {
  const works = watched()
  assert.deepEqual(works(2_000, 1, false), [])
  assert.deepEqual(works(2_000, 0.2, true), [])
})

test('two seconds of rest give it every core again; the pause between two bursts does not', () => {
  const works = watched()
  works(1_000, 1)
  for (let burst = 0; burst < 5; burst++) {
    works(1_500, 0)
    works(200, 1)
  }
  assert.deepEqual(works(20_000, 0.5), [true], 'beside another that burns it gets half of what it wants')
  assert.deepEqual(works(3_000, 0), [true, false])
  assert.deepEqual(works(1_000, 1), [true, false, true])
})

test('all threads of a runner leave the first core while a guest burns', { skip: holds ? false : why }, async () => {
  const allowed = (pid: string) =>
    coresOf(/^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '')
  const runner = sandbox.pool.stats().runners.find(({ role }) => role === 'quarantine')!
  const [all, pid] = [allowed('self'), String(runner.pid)]
  assert.deepEqual(allowed(pid), all)
  const burn = '() => { for (const end = Date.now() + 100; Date.now() < end; ); return 1 }'
  const threads = () => readdirSync(`/proc/${pid}/task`).map((thread) => allowed(`${pid}/task/${thread}`).join())
  const some = () => threads().some((cores) => cores !== all.slice(1).join())
  for (const end = performance.now() + 10_000; some() && performance.now() < end; ) {
    await sandbox.run('burner', burn, { quarantine: true })
  }
  assert.equal(some(), false)
})
