import { survives } from '../survives.ts'

survives('own flood of identifiers', 'globalThis.h = () => { for (;;) crypto.randomUUID() }', {
  kinds: ['timeout', 'runner_lost'],
})
