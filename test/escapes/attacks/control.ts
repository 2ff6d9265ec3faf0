import { survives } from '../survives.ts'

survives('control', 'globalThis.h=async()=>({ok:1})')
