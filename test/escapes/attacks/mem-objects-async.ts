import { survives } from '../survives.ts'

survives('mem objects async', 'globalThis.h=async()=>{await hostCall("x");const a=[];for(;;)a.push({a:[1,2,3]})}')
