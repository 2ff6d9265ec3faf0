import { survives } from '../survives.ts'

survives('loop sync', 'globalThis.h=()=>{for(;;);}')
