import { survives } from '../survives.ts'

survives(
  'bridge ivm leak',
  'globalThis.h=()=>{const o={keys:Object.getOwnPropertyNames(Object.getPrototypeOf(ivm)).concat(Object.getOwnPropertyNames(ivm))};try{new ivm.NativeModule("./nope.node");}catch(e){o.native=e.message};try{const i=new ivm.Isolate({memoryLimit:4096});o.newIsolate=true}catch(e){o.iso=e.message};return o}',
)
