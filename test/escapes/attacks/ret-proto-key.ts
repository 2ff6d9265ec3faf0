import { survives } from '../survives.ts'

survives(
  'ret proto key',
  'globalThis.h=()=>JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')',
)
