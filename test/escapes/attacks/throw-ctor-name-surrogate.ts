import { survives } from '../survives.ts'

survives(
  'throw ctor name surrogate',
  'globalThis.h=()=>{class A{};Object.defineProperty(A,"name",{value:"\\ud800"});throw new A}',
)
