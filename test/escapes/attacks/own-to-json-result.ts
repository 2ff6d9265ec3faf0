import { survives } from '../survives.ts'

// A forged serialisation changes what this guest says and nothing of the frame around it.
survives(
  'own toJSON on every prototype',
  `const forged = () => 'd1 4\\nnull'
  for (const made of [Object, String, Number, Boolean, Array, Error, Function]) made.prototype.toJSON = forged
  globalThis.h = async () => ({ answer: await hostCall('x') })`,
  { value: JSON.stringify('d1 4\nnull') },
)
