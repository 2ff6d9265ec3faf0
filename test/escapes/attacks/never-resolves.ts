import { survives } from '../survives.ts'

survives('never resolves', 'globalThis.h=()=>new Promise(()=>{})')
