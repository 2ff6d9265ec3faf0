import { survives } from '../survives.ts'

survives('mem set big', 'globalThis.h=()=>{const m=new Set();for(let i=0;i<2**25;i++)m.add(i);return m.size}')
