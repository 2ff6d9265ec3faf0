import { survives } from '../survives.ts'

survives('mem objects notimeout', 'globalThis.h=()=>{const a=[];for(;;)a.push({a:[1,2,3]})}')
