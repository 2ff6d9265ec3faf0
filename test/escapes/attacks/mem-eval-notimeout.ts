import { survives } from '../survives.ts'

survives(
  'mem eval notimeout',
  'globalThis.h=()=>{const k=[];for(let i=0;;i++){k.push((0,eval)("(function(){"+("x="+i+";").repeat(2000)+"})"));k[i]()}}',
)
