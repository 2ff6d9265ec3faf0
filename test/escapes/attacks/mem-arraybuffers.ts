import { survives } from '../survives.ts'

survives('mem arraybuffers', 'globalThis.h=()=>{const k=[];for(;;)k.push(new ArrayBuffer(1<<22))}')
