import { survives } from '../survives.ts'

survives('ret getter', 'globalThis.h=()=>({get a(){return 1}})')
