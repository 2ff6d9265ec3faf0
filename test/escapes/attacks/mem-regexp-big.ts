import { survives } from '../survives.ts'

survives(
  'mem regexp big',
  'globalThis.h=()=>{const r=new RegExp("(?:"+"a{0,1000}".repeat(300)+"){0,1000}");return r.test("b")}',
)
