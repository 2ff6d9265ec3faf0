import { survives } from '../survives.ts'

survives('top throw getter', 'globalThis.h=()=>1;throw {get message(){for(;;);}}')
