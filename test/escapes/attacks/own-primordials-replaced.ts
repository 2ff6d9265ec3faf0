import { survives } from '../survives.ts'

survives(
  'own primordials replaced',
  `const evil = () => { for (;;); }
  Map.prototype.get = Map.prototype.set = Map.prototype.delete = String.prototype.slice = String.prototype.indexOf = evil
  JSON.parse = JSON.stringify = Reflect.apply = Function.prototype.call = Function.prototype.apply = evil
  Promise.prototype.then = evil
  globalThis.h = async () => ({ r: await hostCall('x') })`,
  { value: '{"r":"r"}' },
)
