import { survives } from '../survives.ts'

survives('mem typed touch', 'globalThis.h=()=>{const k=[];for(;;)k.push(new Uint8Array(1<<22).fill(1))}')
