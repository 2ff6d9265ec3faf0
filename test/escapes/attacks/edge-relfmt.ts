import { survives } from '../survives.ts'

survives(
  'edge relfmt',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Intl.RelativeTimeFormat("pl",{numeric:"auto"}).format(-3,"day")}catch(e){}}n++};f();return n+" "+c}',
)
