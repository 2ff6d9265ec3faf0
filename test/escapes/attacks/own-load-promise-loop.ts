import { survives } from '../survives.ts'

survives(
  'own microtask loop while loading',
  'const again = () => Promise.resolve().then(again); again(); globalThis.h = () => 1',
  { kinds: ['load_failed', 'timeout', 'runner_lost'] },
)
