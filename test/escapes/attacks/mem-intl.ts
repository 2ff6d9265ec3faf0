import { survives } from '../survives.ts'

survives(
  'mem intl',
  'globalThis.h=()=>{const k=[];for(;;)k.push(new Intl.DateTimeFormat("ar-EG",{dateStyle:"full"}),new Intl.NumberFormat("hi",{style:"currency",currency:"INR"}))}',
)
