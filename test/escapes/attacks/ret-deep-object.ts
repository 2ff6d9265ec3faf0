import { survives } from '../survives.ts'

survives('ret deep object', 'globalThis.h=()=>{let o={};for(let i=0;i<3e5;i++)o={o};return o}')
