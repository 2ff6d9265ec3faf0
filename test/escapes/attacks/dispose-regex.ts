import { survives } from '../survives.ts'

survives('dispose regex', 'globalThis.h=()=>/^(a+)+$/.test("a".repeat(40)+"!")')
