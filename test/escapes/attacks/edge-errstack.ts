import { survives } from '../survives.ts'

survives(
  'edge errstack',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Error("x").stack.length}catch(e){}}n++};f();return n+" "+c}',
)
