import { survives } from '../survives.ts'

survives(
  'bridge error leak',
  'globalThis.h=()=>{try{hostThrow()}catch(e){return {name:e.name,msg:e.message,stack:e.stack,proto:Object.getPrototypeOf(e)===Error.prototype,keys:Object.getOwnPropertyNames(e)}}}',
)
