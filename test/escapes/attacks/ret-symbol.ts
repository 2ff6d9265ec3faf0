import { survives } from '../survives.ts'

survives('ret symbol', 'globalThis.h=()=>Symbol("x")')
