import { survives } from '../survives.ts'

survives(
  'overwrite call',
  'try{Object.defineProperty(globalThis,"__call",{value:1})}catch(e){globalThis.err=e.message};globalThis.h=()=>globalThis.err+" "+typeof __call',
)
