import { survives } from '../survives.ts'

survives(
  'edge normalize',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{("ẛ̣ﷺ".repeat(50)).normalize("NFKD")}catch(e){}}n++};f();return n+" "+c}',
)
