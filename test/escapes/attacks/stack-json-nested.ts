import { survives } from '../survives.ts'

survives('stack json nested', 'globalThis.h=()=>JSON.stringify(JSON.parse("[".repeat(1e6)+"]".repeat(1e6))).length')
