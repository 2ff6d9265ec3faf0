import { survives } from '../survives.ts'

survives(
  'globals',
  'globalThis.h=()=>["setTimeout","setInterval","queueMicrotask","fetch","process","require","Buffer","URL","TextEncoder","structuredClone","crypto","performance","atob","gc","WebAssembly","SharedArrayBuffer","Atomics","ShadowRealm","console"].map(k=>k+":"+typeof globalThis[k]).join(" ")',
)
