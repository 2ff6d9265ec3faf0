import { survives } from '../survives.ts'

survives(
  'mem wasm table',
  'globalThis.h=()=>{const k=[];for(;;)k.push(new WebAssembly.Table({initial:1e7,element:"anyfunc"}))}',
)
