import { survives } from '../survives.ts'

survives('debugger stmt', 'globalThis.h=()=>{debugger;return 1}')
