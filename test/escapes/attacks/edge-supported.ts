import { survives } from '../survives.ts'

survives(
  'edge supported',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{Intl.supportedValuesOf("timeZone")}catch(e){}}n++};f();return n+" "+c}',
)
