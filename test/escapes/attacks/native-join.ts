import { survives } from '../survives.ts'

survives('native join', 'globalThis.h=()=>Array(2**32-1).join("").length')
