import { drawSteps, shrink, type Step, takeSteps } from '../model/steps.ts'
import { cutConnections, takeTurns } from '../model/together.ts'
import { startWorld, type World } from '../model/world.ts'

const minutes = Number(process.env.SOAK_MINUTES ?? 10)
const stepsOfEach = 250

/**
 * The properties of `test/model/` over seeds of their own: long sequences of what schools, partners and apps do, compared
 * with a plain model, and several clients at one record, every second time while connections are cut. What fails is cut
 * down to the few steps that fail still, which the error names with their seeds.
 */
export async function run(): Promise<void> {
  // Each connection that is cut would be logged.
  process.env.LOG_LEVEL ??= 'silent'
  const world = await startWorld()
  const first = Date.now() % 1_000_000
  let seed = first
  try {
    for (const end = Date.now() + minutes * 60_000; Date.now() < end; seed++) {
      await follow(world, drawSteps(seed, stepsOfEach))
      for (let turn = 0; turn < 10; turn++)
        await takeTurns(world, seed * 10 + turn, turn % 2 ? cutConnections : undefined)
    }
    console.log(`${seed - first} sequences of ${stepsOfEach} steps, ten times four clients after each (seed ${first})`)
  } finally {
    await world.close()
  }
}

async function follow(world: World, steps: Step[]): Promise<void> {
  try {
    await takeSteps(world, steps)
  } catch (error) {
    const { at = steps.length - 1 } = error as { at?: number }
    throw new Error(`fails with ${JSON.stringify(await shrink(world, steps, at))}`, { cause: error })
  }
}
