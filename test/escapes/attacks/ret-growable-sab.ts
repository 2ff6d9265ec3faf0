import { survives } from '../survives.ts'

survives('ret growable sab', 'globalThis.h=()=>{const s=new SharedArrayBuffer(8,{maxByteLength:1<<20});return s}')
