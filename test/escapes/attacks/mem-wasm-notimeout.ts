import { survives } from '../survives.ts'

survives(
  'mem wasm notimeout',
  'globalThis.h=()=>{const k=[];for(let i=0;i<16;i++){const m=new WebAssembly.Memory({initial:8192});new Uint8Array(m.buffer).fill(1);k.push(m)}return k.length}',
)
