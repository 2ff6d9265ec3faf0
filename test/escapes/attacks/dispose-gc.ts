import { survives } from '../survives.ts'

survives('dispose gc', 'globalThis.h=()=>{for(;;){let a=[];for(let i=0;i<1e5;i++)a.push({i})}}')
