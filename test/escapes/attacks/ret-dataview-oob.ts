import { survives } from '../survives.ts'

survives(
  'ret dataview oob',
  'globalThis.h=()=>{const b=new ArrayBuffer(64,{maxByteLength:128});const v=new DataView(b,32,32);b.resize(16);return v}',
)
