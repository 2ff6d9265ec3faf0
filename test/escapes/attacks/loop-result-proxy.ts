import { survives } from '../survives.ts'

survives('loop result proxy', 'globalThis.h=()=>new Proxy({},{ownKeys(){for(;;);}})')
