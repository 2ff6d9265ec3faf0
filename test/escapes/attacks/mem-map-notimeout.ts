import { survives } from '../survives.ts'

survives('mem map notimeout', 'globalThis.h=()=>{const m=new Map();for(let i=0;;i++)m.set(i,i)}')
