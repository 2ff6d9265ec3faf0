import { survives } from '../survives.ts'

survives('ret map huge', 'globalThis.h=()=>{const m=new Map();for(let i=0;i<2e6;i++)m.set(i,i);return m}')
