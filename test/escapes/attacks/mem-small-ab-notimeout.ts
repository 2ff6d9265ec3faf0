import { survives } from '../survives.ts'

survives('mem small ab notimeout', 'globalThis.h=()=>{const k=[];for(;;)k.push(new ArrayBuffer(1))}')
