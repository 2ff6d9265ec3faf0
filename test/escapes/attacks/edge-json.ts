import { survives } from '../survives.ts'

survives(
  'edge json',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{JSON.parse(JSON.stringify({a:[{b:{c:[1,2,3]}}]}))}catch(e){}}n++};f();return n+" "+c}',
)
