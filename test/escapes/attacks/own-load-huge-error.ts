import { survives } from '../survives.ts'

survives('own load with a huge message', 'throw new Error("partner:bundle " + "x".repeat(30e6))', {
  kinds: ['load_failed', 'runner_lost'],
})
