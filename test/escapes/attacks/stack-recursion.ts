import { survives } from '../survives.ts'

survives('stack recursion', 'globalThis.h=()=>{const f=()=>f()+1;return f()}')
