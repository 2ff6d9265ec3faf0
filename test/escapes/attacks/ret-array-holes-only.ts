import { survives } from '../survives.ts'

survives('ret array holes only', 'globalThis.h=()=>new Array(2**25-1)')
