import { survives } from '../survives.ts'

survives(
  'edge date',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{new Date("2020-01-01T00:00:00Z").toString()+Date.parse("Tue, 5 Mar 2021 10:00")}catch(e){}}n++};f();return n+" "+c}',
)
