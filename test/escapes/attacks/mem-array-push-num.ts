import { survives } from '../survives.ts'

survives('mem array push num', 'globalThis.h=()=>{const a=[];for(;;)a.push(1.5)}')
