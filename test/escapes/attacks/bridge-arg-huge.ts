import { survives } from '../survives.ts'

survives('bridge arg huge', 'globalThis.h=()=>hostSync("a".repeat(2**28))')
