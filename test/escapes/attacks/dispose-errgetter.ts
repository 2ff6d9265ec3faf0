import { survives } from '../survives.ts'

survives('dispose errgetter', 'globalThis.h=()=>{throw {get message(){for(;;);}}}')
