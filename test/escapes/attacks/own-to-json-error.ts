import { survives } from '../survives.ts'

survives(
  'own toJSON beside an error',
  `for (const made of [Object, String, Error]) made.prototype.toJSON = () => 'd1 4\\nnull'
  globalThis.h = async () => { throw new Error('f1 2\\n{}') }`,
  { kinds: ['threw'] },
)
