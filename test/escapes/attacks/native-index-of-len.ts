import { survives } from '../survives.ts'

survives('native index of len', 'globalThis.h=()=>Array.prototype.indexOf.call({length:2**53-1},1)')
