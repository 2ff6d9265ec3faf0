import { survives } from '../survives.ts'

survives(
  'edge regexp class',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new RegExp("[\\\\p{Script=Greek}&&\\\\p{L}--[a-z]]"+c,"v").test("α")}catch(e){}}n++};f();return n+" "+c}',
)
