import { survives } from '../survives.ts'

survives(
  'mem regexps notimeout',
  'globalThis.h=()=>{const k=[];for(let i=0;;i++){const r=new RegExp("(a{1,1000}|b"+i+"){1,50}");r.test("ab");k.push(r)}}',
)
