import { survives } from '../survives.ts'

survives(
  'native dateformat',
  'globalThis.h=()=>{let n=0;for(;;){n+=new Date(n).toLocaleString("fa-IR",{timeZone:"Asia/Tehran",dateStyle:"full",timeStyle:"full"}).length}}',
)
