import { survives } from '../survives.ts'

survives('loop error to string', 'globalThis.h=()=>{throw {message:{toString(){for(;;);}}}}')
