import { survives } from '../survives.ts'

survives('stack to string nested', 'globalThis.h=()=>{let a=[];for(let i=0;i<1e6;i++)a=[a];return String(a).length}')
