import { after, before, test } from 'node:test'
import { drawSteps, takeSteps } from './steps.ts'
import { cutConnections, takeTurns } from './together.ts'
import { startWorld, type World } from './world.ts'

/** The short form of `test/soak/model.ts`. */
let world: World
before(async () => {
  world = await startWorld()
})
after(() => world?.close())

test('whatever schools, partners and apps do in whatever order, every answer is what a plain model says', async () => {
  for (const seed of [5, 6]) await takeSteps(world, drawSteps(seed, 80))
})

test('what several clients do to one record at once, they could have done one after another', async () => {
  for (const seed of [1, 4, 5, 6]) await takeTurns(world, seed)
})

test('the same holds while connections are cut: nothing is lost, nothing is done twice', async () => {
  for (const seed of [1, 2]) await takeTurns(world, seed, cutConnections)
})
