import { survives } from '../survives.ts'

survives('ret error', 'globalThis.h=()=>new Error("x",{cause:new Error("y")})')
