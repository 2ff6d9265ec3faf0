import { survives } from '../survives.ts'

survives(
  'ret fn nocopy hugename',
  'globalThis.h=()=>{const f=()=>1;Object.defineProperty(f,"name",{value:"n".repeat(2**28)});return f}',
)
