import { survives } from '../survives.ts'

survives('loop promise chain', 'globalThis.h=()=>{const f=()=>Promise.resolve().then(f);return f()}')
