import { survives } from '../survives.ts'

survives('ret huge array', 'globalThis.h=()=>{const a=[];for(let i=0;i<4e5;i++)a.push({i,s:"x"+i});return a}')
