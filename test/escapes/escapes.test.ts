import { readdirSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import type { Sandbox } from '../isolates/support.ts'
import { registeredAttacks, runAttack, startArena } from './survives.ts'

/**
 * Every attack file of this folder, in this one process, against a few pools of runners of its own: starting a process for
 * each of them would take minutes. Run one: `--test-name-pattern "<its name>"`.
 */
const arenaCount = 3
const directory = new URL('./attacks/', import.meta.url)
for (const file of readdirSync(directory).sort()) await import(new URL(file, directory).href)

const arenas: Sandbox[] = await Promise.all(Array.from({ length: arenaCount }, startArena))
const free = [...arenas]
after(() => Promise.all(arenas.map((arena) => arena.close())))

describe('an attack costs nobody else anything', { concurrency: arenaCount }, () => {
  for (const attack of registeredAttacks()) {
    it(attack.name, async () => {
      const arena = free.pop()!
      try {
        await runAttack(arena, attack)
      } finally {
        free.push(arena)
      }
    })
  }
})
