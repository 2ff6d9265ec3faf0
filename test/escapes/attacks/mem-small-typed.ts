import { survives } from '../survives.ts'

survives('mem small typed', 'globalThis.h=()=>{const k=[];for(;;)k.push(new Uint8Array(8))}')
