import { survives } from '../survives.ts'

survives('dispose atomics', 'globalThis.h=()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(8)),0,0)')
