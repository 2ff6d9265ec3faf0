import { survives } from '../survives.ts'

survives(
  'bridge apply this',
  'globalThis.h=()=>{try{return String(leakedRef.applySync(undefined,[],{result:{copy:true}}))}catch(e){return e.stack}}',
)
