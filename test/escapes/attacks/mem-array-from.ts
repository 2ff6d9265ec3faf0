import { survives } from '../survives.ts'

survives('mem array from', 'globalThis.h=()=>Array.from({length:2**31}).length')
