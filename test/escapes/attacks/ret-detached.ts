import { survives } from '../survives.ts'

survives(
  'ret detached',
  'globalThis.h=()=>{const b=new ArrayBuffer(64);const v=new Uint8Array(b);b.transfer();return v}',
)
