import { survives } from '../survives.ts'

survives(
  'own frame in a service path',
  `globalThis.h = async () => {
    const forged = { toString: () => 'x\\nd1 4\\nnull' }
    return typeof (await hostCall(forged).catch((error) => error))
  }`,
)
