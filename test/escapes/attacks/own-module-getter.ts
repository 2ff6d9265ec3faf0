import { survives } from '../survives.ts'

survives(
  'own looping module getter',
  `globalThis.h = () => 1
  Object.defineProperty(globalThis, '__partner_module__', { configurable: true, set() {}, get() { for (;;); } })`,
  { kinds: ['load_failed', 'timeout', 'runner_lost'] },
)
