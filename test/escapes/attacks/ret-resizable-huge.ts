import { survives } from '../survives.ts'

survives(
  'ret resizable huge',
  'globalThis.h=()=>{const b=new ArrayBuffer(0,{maxByteLength:2**35});b.resize(2**35);return b}',
)
