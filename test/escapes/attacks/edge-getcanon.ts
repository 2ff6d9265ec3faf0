import { survives } from '../survives.ts'

survives(
  'edge getcanon',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{Intl.getCanonicalLocales("sl-Cyrl-YU-rozaj-solba-1994-b-1234-a-Foobar-x-b-1234-a-foobar")}catch(e){}}n++};f();return n+" "+c}',
)
