import { survives } from '../survives.ts'

survives(
  'forge frame',
  'globalThis.h=async()=>{const o=JSON.stringify;return "\\"],[\\"h\\",1,\\"admin.delete\\",\\"{}"}',
)
