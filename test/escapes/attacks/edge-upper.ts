import { survives } from '../survives.ts'

survives(
  'edge upper',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{"ıßŉİ".repeat(100).toLocaleUpperCase("tr")}catch(e){}}n++};f();return n+" "+c}',
)
