import { survives } from '../survives.ts'

survives(
  'own endless chain of thenables',
  'globalThis.h = () => { const again = () => ({ then(resolve) { resolve(again()) } }); return again() }',
  { kinds: ['timeout', 'memory', 'runner_lost'] },
)
