import { survives } from '../survives.ts'

survives('own loop in toJSON', 'globalThis.h = () => ({ toJSON() { for (;;); } })', {
  kinds: ['timeout', 'runner_lost'],
})
