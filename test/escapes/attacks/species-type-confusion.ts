import { survives } from '../survives.ts'

survives(
  'species type confusion',
  'globalThis.h=()=>{function X(e){e(()=>{},()=>{});return {then:1}};const p=new Promise(()=>{});p.constructor={[Symbol.species]:X};return p}',
)
