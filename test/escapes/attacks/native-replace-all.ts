import { survives } from '../survives.ts'

survives('native replace all', 'globalThis.h=()=>"a".repeat(5e6).replaceAll("a","bb").replaceAll("b","cc").length')
