import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { buildRunnerJail, type RunnerJail } from '../../host/isolates/runner-jail.ts'
import type { RunnerLink } from '../../host/isolates/links.ts'
import { createRunnerPool } from '../../host/isolates/pool/pool.ts'
import { judgeStart } from '../../host/isolates/pool/start-judge.ts'
import type { ProcessStat } from '../../host/processes/process-stat.ts'

const built = buildRunnerJail()
after(built.remove)
/** For several pools: each would take it away as it closes. */
const jail: RunnerJail = { ...built, remove() {} }

/** Of the runners that are started the first ones are these programs. */
function startingWith(...programs: [program: string, ...args: string[]][]): RunnerJail {
  const others = [...programs]
  return {
    ...jail,
    command(...of) {
      const [program, ...args] = others.shift() ?? []
      return program === undefined ? jail.command(...of) : { program, args }
    },
  }
}

/** What is said of a start at each of these looks, and when. */
function verdictOf(looks: Iterable<ProcessStat | undefined>): [look: number, why: string] | undefined {
  const judge = judgeStart()
  let look = 0
  for (const stat of looks) {
    look++
    const why = judge(stat)
    if (why !== undefined) return [look, why]
  }
}

const asleep = { cpuMs: 250, ranNs: 25e7, rssMb: 50, runnable: false }

test('a start that sleeps for five seconds is given up; one that waits for the CPU, or is given little of it, has thirty', () => {
  assert.deepEqual(verdictOf(Array(9).fill(asleep)), [6, 'it stood still as it started'])
  assert.deepEqual(verdictOf(Array(99).fill({ ...asleep, runnable: true })), [30, 'it did not start in time'])
  const slow = Array.from({ length: 99 }, (_, n) => ({ ...asleep, ranNs: asleep.ranNs + Math.floor(n / 5) }))
  assert.deepEqual(verdictOf(slow), [30, 'it did not start in time'])
  assert.deepEqual(verdictOf(Array(99).fill(undefined)), [30, 'it did not start in time'])
})

test('a first runner that hangs or ends as it starts is replaced, and the pool begins all the same', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const said: string[] = []
  const starting = createRunnerPool({
    jail: startingWith(['sleep', '1000'], ['false']),
    runners: 0,
    spares: 0,
    log: ({ message }) => said.push(message),
  })
  // The clock of the looks alone is a mock's: a program that was just started is not asleep yet.
  for (; said.length === 0; await setTimeout(20)) t.mock.timers.tick(1_000)
  const pool = await starting
  const roles = pool.stats().runners.map(({ role }) => role)
  await pool.close()
  assert.deepEqual(roles, ['quarantine'])
  assert.deepEqual(said, [
    'runner 1 (spare) is gone: it stood still as it started',
    'runner 2 (spare) is gone: ended by code 1',
  ])
})

test('where no runner can start, the pool tries again before it says why', async () => {
  let starts = 0
  const broken: RunnerJail = {
    ...jail,
    command() {
      starts++
      return { program: 'sh', args: ['-c', 'echo "no such engine" >&2; exit 1'] }
    },
  }
  await assert.rejects(createRunnerPool({ jail: broken, runners: 0, spares: 0 }), /did not start: no such engine/)
  assert.equal(starts, 3)
})

test('a pool whose host ends as it starts begins nothing more', async () => {
  const ending = new AbortController()
  let starts = 0
  const counting: RunnerJail = {
    ...jail,
    command: () => ({ program: 'false', args: [] }),
    settle() {
      starts++
      ending.abort()
    },
  }
  await assert.rejects(
    createRunnerPool({ jail: counting, runners: 1, spares: 0, ending: ending.signal }),
    /ended with the host/,
  )
  assert.equal(starts, 2)
})

test('a spare that is not to hold up a start is started when it is told to', async () => {
  const serving = Promise.withResolvers<void>()
  const pool = await createRunnerPool({ runners: 0, spareAfter: serving.promise })
  try {
    assert.equal(pool.stats().runners.length, 1)
    serving.resolve()
    await serving.promise
    assert.equal(pool.stats().runners.length, 2)
  } finally {
    await pool.close()
  }
})

test('a runner whose place is empty starts like ordinary work, others at low priority', async () => {
  const settled: [pid: number, rank: string][] = []
  const watched = { ...jail, settle: (pid: number, rank = 'low') => void settled.push([pid, rank]) }
  const orders = (pid: unknown) => settled.filter(([of]) => of === pid).map(([, rank]) => rank)
  const { promise: replaced, resolve } = Promise.withResolvers<RunnerLink>()
  const pool = await createRunnerPool({ jail: watched, runners: 0, spares: 0 })
  try {
    const [first] = pool.stats().runners
    pool.links().subscribe((link) => link.id !== first?.id && resolve(link))
    pool.kill(first!.id, 'a test')
    const { id } = await replaced
    const second = pool.stats().runners.find((runner) => runner.id === id)
    assert.deepEqual(orders(first?.pid), ['low', 'low'], 'as it starts and once it is ready')
    assert.deepEqual(orders(second?.pid), ['low'], 'only once it is ready')
  } finally {
    await pool.close()
  }
})

test('a spare that starts is hurried when a place becomes empty meanwhile', async () => {
  const hurried = new Set<number>()
  const settle: RunnerJail['settle'] = (pid, rank) => {
    jail.settle(pid, rank)
    if (rank !== 'ordinary') return
    hurried.add(pid)
    process.kill(pid, 'SIGCONT')
  }
  const serving = Promise.withResolvers<void>()
  const pool = await createRunnerPool({ jail: { ...jail, settle }, runners: 0, spareAfter: serving.promise })
  try {
    serving.resolve()
    await serving.promise
    const [first, spare] = pool.stats().runners
    assert.ok(!hurried.has(Number(spare?.pid)))
    // Else it may be ready before the other's end is known.
    process.kill(Number(spare?.pid), 'SIGSTOP')
    const { promise: replaced, resolve } = Promise.withResolvers<RunnerLink>()
    pool.links().subscribe((link) => link.id !== first?.id && resolve(link))
    pool.kill(first!.id, 'a test')
    await replaced
    assert.ok(hurried.has(Number(spare?.pid)))
  } finally {
    await pool.close()
  }
})
