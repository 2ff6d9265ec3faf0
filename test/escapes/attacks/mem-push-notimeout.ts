import { survives } from '../survives.ts'

survives('mem push notimeout', 'globalThis.h=()=>{const a=[];for(;;)a.push(1.5)}')
