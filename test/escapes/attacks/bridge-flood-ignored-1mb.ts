import { survives } from '../survives.ts'

survives('bridge flood ignored 1mb', 'globalThis.h=()=>{const s="a".repeat(1<<20);for(;;)hostPost(s)}')
