import { survives } from '../survives.ts'

survives('regex backtrack replace', 'globalThis.h=()=>("x".repeat(100000)+"\\n").replace(/(x+x+)+y/,"")')
