import { survives } from '../survives.ts'

survives(
  'import dynamic eval',
  'globalThis.h=async()=>{try{return typeof await (0,eval)("import(\\"node:fs\\")")}catch(e){return "ERR "+e.message}}',
)
