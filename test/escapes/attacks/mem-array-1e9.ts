import { survives } from '../survives.ts'

survives('mem array 1e9', 'globalThis.h=()=>new Array(1e9).fill(0).length')
