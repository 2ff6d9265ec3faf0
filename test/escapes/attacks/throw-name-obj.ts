import { survives } from '../survives.ts'

survives(
  'throw name obj',
  'globalThis.h=()=>{class Evil extends Error{};const e=new Evil("m");e.name={toString(){throw 1}};throw e}',
)
