import { survives } from '../survives.ts'

survives(
  'mem weakmap',
  'globalThis.h=()=>{const w=new WeakMap();const k=[];for(;;){const o={};k.push(o);w.set(o,new Array(10))}}',
)
