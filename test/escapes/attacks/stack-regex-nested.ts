import { survives } from '../survives.ts'

survives('stack regex nested', 'globalThis.h=()=>new RegExp("(".repeat(1e5)+")".repeat(1e5)).test("a")')
