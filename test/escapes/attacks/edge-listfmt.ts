import { survives } from '../survives.ts'

survives(
  'edge listfmt',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Intl.ListFormat("en").format(["a","b","c"])}catch(e){}}n++};f();return n+" "+c}',
)
