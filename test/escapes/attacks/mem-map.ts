import { survives } from '../survives.ts'

survives('mem map', 'globalThis.h=()=>{const m=new Map();for(let i=0;;i++)m.set(i,i)}')
