import { survives } from '../survives.ts'

survives(
  'edge eval',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{(0,eval)("(function(a,b){var x={a:[1,2,{b:`t$' +
    '{a}`}],c:class{#p=1;get q(){return this.#p}}};return x})("+c+")")}catch(e){}}n++};f();return n+" "+c}',
)
