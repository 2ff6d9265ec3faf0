import { survives } from '../survives.ts'

survives('mem sab', 'globalThis.h=()=>{const k=[];for(;;)k.push(new Uint8Array(new SharedArrayBuffer(1<<22)).fill(1))}')
