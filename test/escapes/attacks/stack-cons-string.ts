import { survives } from '../survives.ts'

survives('stack cons string', 'globalThis.h=()=>{let s="";for(let i=0;i<3e6;i++)s=s+"ab";return s.charCodeAt(5)}')
