import { survives } from '../survives.ts'

survives('dispose pending', 'globalThis.h=()=>new Promise(()=>{})')
