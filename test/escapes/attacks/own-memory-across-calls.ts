import { survives } from '../survives.ts'

survives(
  'own memory kept over service calls',
  'globalThis.kept = []; globalThis.h = async () => { for (;;) { kept.push(new Array(1e5).fill({})); await hostCall("x") } }',
  { kinds: ['memory', 'too_many_calls', 'timeout'] },
)
