import { survives } from '../survives.ts'

survives('throw huge stack', 'globalThis.h=()=>{const e=new Error("m");e.stack="s".repeat(2**28);throw e}')
