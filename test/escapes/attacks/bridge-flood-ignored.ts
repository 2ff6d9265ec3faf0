import { survives } from '../survives.ts'

survives('bridge flood ignored', 'globalThis.h=()=>{for(;;)hostPost("x")}')
