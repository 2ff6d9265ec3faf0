import { survives } from '../survives.ts'

survives(
  'edge segment',
  'globalThis.h=()=>{;let n=0,c=0;const f=()=>{try{f()}catch(e){};if(c++<400){try{[...new Intl.Segmenter("ja",{granularity:"word"}).segment("日本語テスト")]}catch(e){}}n++};f();return n+" "+c}',
)
