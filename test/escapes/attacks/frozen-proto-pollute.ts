import { survives } from '../survives.ts'

survives(
  'frozen proto pollute',
  'globalThis.h=()=>{Object.prototype.polluted=1;Object.defineProperty(Object.prototype,"then",{get(){return undefined},set(){}});Array.prototype[Symbol.iterator]=function*(){for(;;)yield 1};JSON.stringify=()=>"x";return {a:[1]}}',
)
