import { survives } from '../survives.ts'

survives(
  'mem resizable notimeout',
  'globalThis.h=()=>{const k=[];for(let i=0;i<64;i++){const b=new ArrayBuffer(0,{maxByteLength:1<<28});b.resize(1<<28);new Uint8Array(b).fill(1);k.push(b)}return k.length}',
)
