import { survives } from '../survives.ts'

survives('loop in guest fn called by host', 'globalThis.h=()=>(()=>{for(;;);})')
