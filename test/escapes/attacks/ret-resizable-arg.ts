import { survives } from '../survives.ts'

survives(
  'ret resizable arg',
  'globalThis.h=async()=>{const b=new ArrayBuffer(0,{maxByteLength:2**35});b.resize(2**35);return hostCall(b)}',
)
