import { survives } from '../survives.ts'

survives('ret thenable', 'globalThis.h=()=>({then(r){r(1)}})')
