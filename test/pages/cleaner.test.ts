import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Cleaner, startCleaner } from '../../host/pages/sanitise/cleaner.ts'
import { createEffort } from '../../host/pages/sanitise/effort.ts'
import type { CleaningLimits } from '../../host/pages/sanitise/limits.ts'
import { HtmlRefused } from '../../host/pages/sanitise/refused.ts'
import { sanitise } from '../../host/pages/sanitise/sanitise.ts'
import { findCpuGroups, groupFolders, type MakeCpuGroup } from '../../host/processes/cpu-groups.ts'

const place = { slug: 'library', mobile: false }
const page = (html: string) => ({ html, ...place })
/** A good tenth of a second of work in which no tag opens. */
const tagless = '<'.repeat(250_000)

const started: Cleaner[] = []
after(() => Promise.all(started.map((cleaner) => cleaner.end())))
function start(limits?: Partial<CleaningLimits>, makeGroup?: MakeCpuGroup): Cleaner {
  const cleaner = startCleaner(makeGroup, { workMs: 60_000, clockMs: 60_000, ...limits })
  started.push(cleaner)
  return cleaner
}

test('cleaning gives up between two tags when its time is used up', () => {
  const html = '<b></b>'.repeat(100)
  assert.equal(sanitise(html, place, createEffort(60_000)), html)
  assert.throws(() => sanitise(html, place, createEffort(0)), HtmlRefused)
})

test('what worked too long between two tags is ended with its process', async () => {
  const cleaner = start({ workMs: 10 })
  await assert.rejects(cleaner.clean(page(tagless)), { name: 'HtmlRefused', message: 'HTML took longer than 10 ms' })
  assert.equal(cleaner.isSpent(), true)
})

test('so is a process that does not answer, though it does no work', async () => {
  const cleaner = start({ clockMs: 100 })
  assert.equal(await cleaner.clean(page('<p>x</p>')), '<p>x</p>')
  process.kill(cleaner.pid, 'SIGSTOP')
  await assert.rejects(cleaner.clean(page('<p>x</p>')), HtmlRefused)
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

const groups = findCpuGroups({ platform: process.platform, procPath: '/proc' })
const real = typeof groups === 'string' ? { skip: `control groups: ${groups}` } : {}

test('it has the CPU only while nobody else wants it, and its group goes with it', real, async () => {
  assert.ok(typeof groups !== 'string')
  const cleaner = start({}, groups)
  await cleaner.clean(page('<p>x</p>'))
  const group = groupFolders('/proc')
    .map(({ folder }) => join(folder, `partner-guest-${cleaner.pid}`))
    .find(existsSync)
  assert.equal(readFileSync(join(group!, 'cgroup.procs'), 'utf8').trim(), String(cleaner.pid))
  assert.equal(readFileSync(join(group!, 'cpu.idle'), 'utf8').trim(), '1')
  await cleaner.end()
  assert.equal(existsSync(group!), false)
})
