import { survives } from '../survives.ts'

survives(
  'collector reached',
  `const names = Object.getOwnPropertyNames(globalThis).filter((name) => /^(gc|sweep|collect)/i.test(name) && globalThis[name] !== undefined)
globalThis.h = () => [typeof gc, typeof globalThis.gc, typeof Function('return this')().gc, names.length]`,
  { value: '["undefined","undefined","undefined",0]' },
)
