import { survives } from '../survives.ts'

survives('dispose loop', 'globalThis.h=()=>{for(;;);}')
