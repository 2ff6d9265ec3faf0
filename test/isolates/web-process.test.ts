import { jsonOf } from './json-of.ts'
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { GuestAnswer } from '../../host/isolates/client/types.ts'
import { createRunnerPool } from '../../host/isolates/pool/pool.ts'

const pool = await createRunnerPool({ runners: 1, replacements: 1 })
const webs: ChildProcess[] = []
after(async () => {
  for (const web of webs) web.kill('SIGKILL')
  await pool.close()
})

/** A web process of its own, as the supervisor starts them, with a client behind `linksFromSupervisor`. */
function startWeb(): ChildProcess {
  const web = fork(fileURLToPath(new URL('./fixtures/web.ts', import.meta.url)), { execArgv: ['--no-node-snapshot'] })
  webs.push(web)
  pool.attachWeb(web)
  return web
}

let lastAsk = 0
function ask(web: ChildProcess, handle: string, entry = 'route'): Promise<unknown> {
  const ask = ++lastAsk
  return new Promise((resolve) => {
    web.on('message', function listen(message: { ask: number; answer: GuestAnswer }) {
      if (message.ask !== ask) return
      web.off('message', listen)
      resolve(message.answer.ok ? jsonOf(message.answer) : message.answer.error.kind)
    })
    web.send({ ask, handle, entry })
  })
}

const handle = `async (entry, input, call) =>
  entry === 'stick' ? Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) : [entry, await call('whose')]`

test('each web process talks to the runners over a socket of its own', async () => {
  const one = startWeb()
  const other = startWeb()
  const answers = await Promise.all([ask(one, handle), ask(other, handle), ask(one, handle)])
  assert.deepEqual(answers, [
    `["route","pid ${one.pid}"]`,
    `["route","pid ${other.pid}"]`,
    `["route","pid ${one.pid}"]`,
  ])
})

test('a runner lost to one web process is replaced for both', async () => {
  const [one, other] = webs
  assert.equal(await ask(one!, handle, 'stick'), 'runner_lost')
  assert.equal(await ask(other!, handle), `["route","pid ${other!.pid}"]`)
  assert.equal(await ask(one!, handle), `["route","pid ${one!.pid}"]`)
})

test('a web process may die and come back; used-up lanes rotate the runner', async () => {
  webs[0]!.kill('SIGKILL')
  await once(webs[0]!, 'exit')
  for (let i = 0; i < 3; i++) {
    const next = startWeb()
    assert.equal(await ask(next, handle), `["route","pid ${next.pid}"]`)
    next.kill('SIGKILL')
    await once(next, 'exit')
  }
  assert.equal(await ask(webs[1]!, handle), `["route","pid ${webs[1]!.pid}"]`)
})

test('as many processes as a large machine has cores are served by the same runners', async (context) => {
  const users = 20
  const gone: string[] = []
  const large = await createRunnerPool({ runners: 1, spares: 0, users, log: ({ message }) => gone.push(message) })
  context.after(large.close)
  const links = Array.from({ length: users }, () => {
    const seen: string[] = []
    large.links().subscribe(({ role }) => seen.push(role))
    return seen.toSorted()
  })
  assert.deepEqual(links, Array(users).fill(['ordinary', 'quarantine']))
  assert.deepEqual(gone, [])
})
