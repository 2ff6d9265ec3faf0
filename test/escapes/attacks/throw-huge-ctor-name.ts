import { survives } from '../survives.ts'

survives(
  'throw huge ctor name',
  'globalThis.h=()=>{const C={["n".repeat(2**28)]:class{}}["n".repeat(2**28)];throw new C}',
)
