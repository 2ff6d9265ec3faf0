import { survives } from '../survives.ts'

survives('bridge arg deep', 'globalThis.h=()=>{let o={};for(let i=0;i<3e5;i++)o={o};return hostSync(o)}')
