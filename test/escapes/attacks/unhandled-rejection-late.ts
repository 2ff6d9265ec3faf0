import { survives } from '../survives.ts'

survives(
  'unhandled rejection late',
  'globalThis.h=async()=>{hostCall("x").then(()=>{Promise.reject(new Error("orphan-late"))});return 1}',
)
