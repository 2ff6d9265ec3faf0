import { survives } from '../survives.ts'

survives(
  'own setters on Object.prototype',
  `for (const name of ['kind', 'message', 'name', 'stack', 'code', 'status', 'value', 'get', 'set', 'a', 'open', 'id']) {
    Object.defineProperty(Object.prototype, name, { configurable: true, set() { throw new Error('caught ' + name) }, get() { return undefined } })
  }
  globalThis.h = async () => ({ ok: await hostCall('x') })`,
)
