import { survives } from '../survives.ts'

survives(
  'edge bigint big',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{((1n<<400000n)+BigInt(c)).toString(10)}catch(e){}}n++};f();return n+" "+c}',
)
