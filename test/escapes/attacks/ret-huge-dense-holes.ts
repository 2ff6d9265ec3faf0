import { survives } from '../survives.ts'

survives('ret huge dense holes', 'globalThis.h=()=>new Array(2**25-1)')
