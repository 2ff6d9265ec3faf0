import { survives } from '../survives.ts'

survives('ret sab', 'globalThis.h=()=>new SharedArrayBuffer(64)')
