import { survives } from '../survives.ts'

survives('regex backtrack', 'globalThis.h=()=>/^(a+)+$/.test("a".repeat(40)+"!")')
