import { survives } from '../survives.ts'

survives('mem split', 'globalThis.h=()=>"ab".repeat(2**27).split("").length')
