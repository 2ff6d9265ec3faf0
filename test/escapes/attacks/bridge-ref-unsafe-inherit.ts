import { survives } from '../survives.ts'

survives(
  'bridge ref unsafe inherit',
  'globalThis.h=()=>{const R={reference:true};const F=leakedRef.getSync("constructor",R).getSync("constructor",R);return F.applySync(undefined,["return \\"HOST RCE pid \\"+process.pid+\\" env \\"+Object.keys(process.env).length"],{result:R}).applySync(undefined,[])}',
)
