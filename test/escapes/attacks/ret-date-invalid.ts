import { survives } from '../survives.ts'

survives('ret date invalid', 'globalThis.h=()=>new Date(NaN)')
