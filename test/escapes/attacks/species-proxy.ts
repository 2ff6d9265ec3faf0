import { survives } from '../survives.ts'

survives(
  'species proxy',
  'globalThis.h=()=>{function X(e){e(()=>{},()=>{});return new Proxy(function(){}, {get(){throw 1}})};const p=new Promise(()=>{});p.constructor={[Symbol.species]:X};return p}',
)
