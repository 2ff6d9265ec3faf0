import { survives } from '../survives.ts'

survives(
  'edge dynimport',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{import("x")}catch(e){}}n++};f();return n+" "+c}',
)
