import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { after, test } from 'node:test'
import { type Cleaner, startCleaner } from '../../host/pages/sanitise/cleaner.ts'
import { createEffort } from '../../host/pages/sanitise/effort.ts'
import type { CleaningLimits } from '../../host/pages/sanitise/limits.ts'
import { HtmlRefused } from '../../host/pages/sanitise/refused.ts'
import { sanitise } from '../../host/pages/sanitise/sanitise.ts'
import { findCpuGroups, groupFolders, type MakeCpuGroup } from '../../host/processes/cpu-groups.ts'
import { mayRankOthers, type Rank } from '../../host/processes/rank.ts'

const place = { slug: 'library', mobile: false, url: '/m/library' }
const page = (html: string) => ({ html, ...place })
/** A good tenth of a second of work in which no tag opens. */
const tagless = '<'.repeat(250_000)

const started: Cleaner[] = []
after(() => Promise.all(started.map((cleaner) => cleaner.end())))
const patient: CleaningLimits = { workMs: 60_000, clockMs: 60_000, hurryMs: 60_000, startMs: 60_000 }
function start(limits: CleaningLimits = patient, makeGroup?: MakeCpuGroup): Cleaner {
  const cleaner = startCleaner(makeGroup, limits)
  started.push(cleaner)
  return cleaner
}

test('cleaning gives up between two tags when its time is used up', () => {
  const html = '<b></b>'.repeat(100)
  assert.equal(sanitise(html, place, createEffort(60_000)), html)
  assert.throws(() => sanitise(html, place, createEffort(0)), HtmlRefused)
})

test('what worked too long between two tags is ended with its process', async () => {
  const cleaner = start({ ...patient, workMs: 10 })
  await assert.rejects(cleaner.clean(page(tagless)), { name: 'HtmlRefused', message: 'HTML took longer than 10 ms' })
  assert.equal(cleaner.isSpent(), true)
})

test('so is a process that does not answer, though it does no work', async () => {
  const limits = { ...patient }
  const cleaner = start(limits)
  assert.deepEqual(await cleaner.clean(page('<p>x</p>')), { html: '<p>x</p>', removed: null })
  limits.clockMs = 100
  process.kill(cleaner.pid, 'SIGSTOP')
  await assert.rejects(cleaner.clean(page('<p>x</p>')), HtmlRefused)
  assert.equal(cleaner.isSpent(), true)
})

test('a process that ended before it had started blames no page', async () => {
  const cleaner = start()
  process.kill(cleaner.pid, 'SIGKILL')
  await assert.rejects(cleaner.clean(page('<p>x</p>')), { code: 'unavailable', details: { retryAfter: 1 } })
  assert.equal(cleaner.isSpent(), true)
})

test('the page it dies with is refused, and nothing waits for it', async () => {
  const cleaner = start()
  await cleaner.clean(page('<p>x</p>'))
  const refused = assert.rejects(cleaner.clean(page(tagless)), { message: 'HTML could not be read' })
  process.kill(cleaner.pid, 'SIGKILL')
  await refused
  await cleaner.end()
  await assert.rejects(cleaner.clean(page('<p>x</p>')), { message: 'HTML could not be read' })
})

/** Who may not raise a process again leaves it as it is. */
const raised = mayRankOthers('/proc') ? 0 : 10

test('it starts at low priority while no page waits for it', async () => {
  const cleaner = start()
  assert.equal(getPriority(cleaner.pid), 10)
  const cleaned = cleaner.clean(page('<p>x</p>'))
  assert.equal(getPriority(cleaner.pid), raised)
  await cleaned
  assert.equal(getPriority(cleaner.pid), 10)
})

test('a page that waits long is hurried, and the next one is not', async () => {
  const limits = { ...patient, hurryMs: 0 }
  const cleaner = start(limits)
  await cleaner.clean(page('<p>x</p>'))
  const cleaned = cleaner.clean(page(tagless))
  while (getPriority(cleaner.pid) !== raised) await setTimeout(1)
  await cleaned
  assert.equal(getPriority(cleaner.pid), 10)
})

test('a page is told to come again where the process takes too long to start, and so it can', async () => {
  const limits = { ...patient, startMs: 1 }
  const cleaner = start(limits)
  await assert.rejects(cleaner.clean(page('<p>x</p>')), { code: 'unavailable' })
  assert.equal(cleaner.isSpent(), false)
  const comeAgain = (): Promise<string> =>
    cleaner
      .clean(page('<p>x</p>'))
      .then(({ html }) => html)
      .catch(async (error) => {
        assert.equal(error.code, 'unavailable')
        await setTimeout(10)
        return comeAgain()
      })
  assert.equal(await comeAgain(), '<p>x</p>')
})

const groups = findCpuGroups({ platform: process.platform, procPath: '/proc' })
const real = typeof groups === 'string' ? { skip: `control groups: ${groups}` } : {}

test('it has the CPU only while nobody else wants it, and its group goes with it', real, async () => {
  const ranks: string[] = []
  const folder = (pid: number) =>
    groupFolders('/proc')
      .map(({ folder }) => join(folder, `partner-guest-${pid}`))
      .find(existsSync)!
  const read = (pid: number, file: string) => readFileSync(join(folder(pid), file), 'utf8').trim()
  // On a full machine it has more soon after.
  const cleaner = start(patient, (pid) => {
    assert.ok(typeof groups !== 'string')
    const group = groups(pid)!
    const rank = (rank: Rank) => {
      group.rank(rank)
      ranks.push(`${rank} ${read(pid, 'cpu.idle')}`)
    }
    return { ...group, rank }
  })
  await cleaner.clean(page('<p>x</p>'))
  assert.equal(ranks[0], 'last 1')
  assert.equal(read(cleaner.pid, 'cgroup.procs'), String(cleaner.pid))
  const group = folder(cleaner.pid)
  await cleaner.end()
  assert.equal(existsSync(group), false)
})
