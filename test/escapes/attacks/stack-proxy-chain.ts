import { survives } from '../survives.ts'

survives('stack proxy chain', 'globalThis.h=()=>{let p={};for(let i=0;i<1e6;i++)p=new Proxy(p,{});return p.x}')
