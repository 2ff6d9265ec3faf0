import assert from 'node:assert/strict'
import { createRandom, type Random } from '../../host/seeds/random.ts'
import { audit } from './audit.ts'
import { isServed } from './calls.ts'
import { replay, settle } from './deliveries.ts'
import { erase, install, narrow, rotate, uninstall } from './installing.ts'
import { read, write } from './records.ts'
import { createApp, createModel, type Installation, type Model, nowOf } from './state.ts'
import { publish, rollBack } from './versions.ts'
import type { World } from './world.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const jumps = [1_000, 31_000, minute + 1_000, minute + 1_000, 15 * minute + 1_000, hour, day + hour, 29 * day]
const writesAtOnce = 3

/** What may happen, and how often. Each draws from a generator of its own, so that it stays what it is where others go. */
const steps: Record<string, { weight: number; take: (model: Model, random: Random) => Promise<unknown> }> = {
  write: {
    weight: 40,
    async take(model, random) {
      const one = someInstallation(model, random)
      for (let count = 0; count < writesAtOnce; count++) await write(model, random, one)
    },
  },
  read: { weight: 30, take: (model, random) => read(model, random, someInstallation(model, random)) },
  introduce: { weight: 3, take: (model, random) => introduce(model, random, someInstallation(model, random)) },
  wait: { weight: 5, take: async ({ world }, random) => world.clock.forward(random.pick(jumps)) },
  settle: { weight: 4, take: settle },
  break: {
    weight: 2,
    async take({ apps }, random) {
      const app = random.pick(apps)
      app.broken = !app.broken
    },
  },
  replay: { weight: 2, take: (model, random) => replay(model, random, random.pick(model.apps)) },
  publish: { weight: 4, take: (model, random) => publish(model, random, random.pick(model.apps)) },
  rollBack: { weight: 3, take: (model, random) => rollBack(model, random, random.pick(model.apps)) },
  install: {
    weight: 5,
    take: (model, random) => install(model, random, random.pick(model.tenants), random.pick(model.apps)),
  },
  narrow: { weight: 3, take: (model, random) => narrow(model, random, someInstallation(model, random)) },
  rotate: { weight: 2, take: (model, random) => rotate(model, random, someInstallation(model, random)) },
  uninstall: { weight: 1, take: (model, random) => uninstall(model, random, someInstallation(model, random)) },
  erase: { weight: 1, take: erase },
  audit: { weight: 1, take: audit },
}
const wheel = Object.entries(steps).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name))

export type Step = { name: string; seed: number }

export function drawSteps(seed: number, count: number): Step[] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => ({ name: random.pick(wheel), seed: random.integer(2 ** 31) }))
}

/** Mostly one that is active. */
function someInstallation({ installations }: Model, random: Random): Installation {
  const active = installations.filter(({ state }) => state === 'active')
  return random.pick(active.length === 0 || random.integer(8) === 0 ? installations : active)
}

/** Every token that there was says who it is, or nothing any more. */
async function introduce(model: Model, random: Random, one: Installation): Promise<void> {
  for (const { text, endsAt } of one.tokens) {
    const path = random.pick(['/apps', '/sandbox/apps'])
    const answer = await model.world.ask(random.integer(2), `${path}/whoami`, { token: text })
    const isGood = one.state === 'active' && endsAt > nowOf(model) && (path === '/apps' || one.tenant.sandbox)
    if (!isGood) assert.equal(answer.status, 401)
    else if (isServed(model, one, answer)) {
      const { tenant_id: number, module: slug, scopes } = answer.body
      assert.deepEqual([number, slug, scopes.toSorted()], [one.tenant.number, one.app.slug, one.granted.toSorted()])
    }
  }
}

/**
 * Takes the steps in a world of fresh schools and three apps, each installed everywhere. Rejects at the first answer that
 * is another than the model's; `at` of the error is the step's number.
 */
export async function takeSteps(world: World, taken: readonly Step[]): Promise<void> {
  const model = await createModel(world)
  const random = createRandom(1)
  for (const [embedded, redirects] of [
    [false, false],
    [false, true],
    [true, false],
  ] as const) {
    const app = await createApp(model, { embedded, redirects })
    await publish(model, random, app)
    for (const tenant of model.tenants) await install(model, random, tenant, app)
  }
  for (const [at, { name, seed }] of taken.entries()) {
    try {
      await steps[name]!.take(model, createRandom(seed))
    } catch (cause) {
      throw Object.assign(new Error(`step ${at}, ${name} ${seed}: ${cause}`, { cause }), { at })
    }
  }
  await settle(model)
  await audit(model)
}

/** The fewest of these steps that were found to fail still. `at`: the one that failed. */
export async function shrink(world: World, failed: readonly Step[], at: number): Promise<Step[]> {
  const fails = (some: Step[]) =>
    takeSteps(world, some).then(
      () => false,
      () => true,
    )
  let kept = failed.slice(0, at + 1)
  for (let size = kept.length >> 1; size >= 1; size >>= 1)
    for (let from = 0; from + size < kept.length; ) {
      const without = kept.toSpliced(from, size)
      if (await fails(without)) kept = without
      else from += size
    }
  return kept
}
