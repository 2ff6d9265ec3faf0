import { survives } from '../survives.ts'

survives('mem json parse str', 'globalThis.h=()=>JSON.parse("["+"1,".repeat(1e8)+"0]").length')
