import { survives } from '../survives.ts'

survives('mem string double', 'globalThis.h=()=>{let s="xxxxxxxx";const k=[];for(;;){s+=s;k.push(s.replace("x","y"))}}')
