import { survives } from '../survives.ts'

survives(
  'proto setter outbox',
  'Object.defineProperty(Array.prototype,0,{set(v){globalThis.leak=v},configurable:true});Object.prototype.toJSON=function(){return "hacked"};String.prototype.toJSON=()=>"x";globalThis.h=async()=>{const r=await hostCall("x");return {r,leak:typeof globalThis.leak}}',
)
