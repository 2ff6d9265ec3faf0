import { survives } from '../survives.ts'

survives(
  'edge numfmt pre',
  'globalThis.h=()=>{const nf=new Intl.NumberFormat("de",{style:"unit",unit:"kilometer-per-hour"});let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{nf.format(c*1234567.891)}catch(e){}}n++};f();return n+" "+c}',
)
