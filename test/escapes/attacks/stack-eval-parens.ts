import { survives } from '../survives.ts'

survives('stack eval parens', 'globalThis.h=()=>(0,eval)("(".repeat(1e6))')
