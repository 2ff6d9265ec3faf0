import { survives } from '../survives.ts'

survives(
  'edge numfmt',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Intl.NumberFormat("hi-IN",{style:"currency",currency:"INR",notation:"compact"}).format(123456.789)}catch(e){}}n++};f();return n+" "+c}',
)
