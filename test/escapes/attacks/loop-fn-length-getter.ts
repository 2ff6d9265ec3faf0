import { survives } from '../survives.ts'

survives(
  'loop fn length getter',
  'globalThis.h=()=>{const f=()=>1;Object.defineProperty(f,"length",{get(){for(;;);}});return f}',
)
