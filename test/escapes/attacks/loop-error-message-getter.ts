import { survives } from '../survives.ts'

survives('loop error message getter', 'globalThis.h=()=>{throw {get message(){for(;;);}}}')
