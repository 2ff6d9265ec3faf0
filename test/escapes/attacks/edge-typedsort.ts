import { survives } from '../survives.ts'

survives(
  'edge typedsort',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Float64Array([3,1,2]).sort()}catch(e){}}n++};f();return n+" "+c}',
)
