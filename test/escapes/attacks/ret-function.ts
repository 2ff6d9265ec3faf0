import { survives } from '../survives.ts'

survives('ret function', 'globalThis.h=()=>()=>1')
