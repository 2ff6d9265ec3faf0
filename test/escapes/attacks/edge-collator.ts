import { survives } from '../survives.ts'

survives(
  'edge collator',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{"áb".localeCompare("b"+c,"de-u-co-phonebk")}catch(e){}}n++};f();return n+" "+c}',
)
