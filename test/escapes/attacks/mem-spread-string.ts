import { survives } from '../survives.ts'

survives('mem spread string', 'globalThis.h=()=>[..."ab".repeat(2**27)].length')
