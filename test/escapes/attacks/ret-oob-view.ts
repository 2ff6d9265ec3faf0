import { survives } from '../survives.ts'

survives(
  'ret oob view',
  'globalThis.h=()=>{const b=new ArrayBuffer(64,{maxByteLength:128});const v=new Uint8Array(b,32,32);b.resize(16);return v}',
)
