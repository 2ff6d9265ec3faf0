import { survives } from '../survives.ts'

survives('unhandled getter', 'globalThis.h=async()=>{Promise.reject({get message(){for(;;);}});return 1}')
