import { survives } from '../survives.ts'

survives('own log flood', 'globalThis.h = () => { for (;;) console.log("x".repeat(4000)) }', {
  kinds: ['timeout', 'runner_lost'],
})
