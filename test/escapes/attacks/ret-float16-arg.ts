import { survives } from '../survives.ts'

survives('ret float16 arg', 'globalThis.h=async()=>hostCall(new Float16Array(8))')
