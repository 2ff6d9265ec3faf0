import { survives } from '../survives.ts'

survives('throw symbol', 'globalThis.h=()=>{throw Symbol("x")}')
