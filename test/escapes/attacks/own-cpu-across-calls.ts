import { survives } from '../survives.ts'

survives(
  'own CPU time in many short slices',
  'globalThis.h = async () => { for (;;) { for (let i = 0, end = Date.now() + 60; Date.now() < end; i++); await hostCall("x") } }',
  { kinds: ['cpu', 'timeout'] },
)
