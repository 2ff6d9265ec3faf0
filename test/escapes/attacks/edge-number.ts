import { survives } from '../survives.ts'

survives(
  'edge number',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{(0.1*c).toPrecision(50)+(1e300*c).toFixed(3)+parseFloat("1".repeat(500)+"e-200")}catch(e){}}n++};f();return n+" "+c}',
)
