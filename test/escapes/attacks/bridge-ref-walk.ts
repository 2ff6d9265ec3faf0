import { survives } from '../survives.ts'

survives(
  'bridge ref walk',
  'globalThis.h=()=>{const r=leakedRef;const o={};o.ctorName=r.constructor&&r.constructor.name;try{o.pw=r.getSync("pool").getSync("options").getSync("password")}catch(e){o.err=e.message};try{r.setSync("list",()=>"pwned");o.set=true}catch(e){o.seterr=e.message};try{o.proto=typeof r.getSync("__proto__")}catch(e){o.perr=e.message};try{o.ctor=String(r.getSync("constructor"))}catch(e){o.cerr=e.message};return o}',
)
