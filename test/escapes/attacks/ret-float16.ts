import { survives } from '../survives.ts'

survives('ret float16', 'globalThis.h=()=>new Float16Array(8)')
