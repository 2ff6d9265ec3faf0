import { survives } from '../survives.ts'

survives('loop microtask noawait', 'globalThis.h=()=>{const f=()=>Promise.resolve().then(f);f();return 1}')
