import { survives } from '../survives.ts'

survives('native fill typed', 'globalThis.h=()=>{const a=new Uint8Array(4e7);for(;;)a.fill(1)}')
