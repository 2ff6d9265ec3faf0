import { survives } from '../survives.ts'

survives(
  'edge sort',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{[5,3,1,4,c].sort((a,b)=>a-b)}catch(e){}}n++};f();return n+" "+c}',
)
