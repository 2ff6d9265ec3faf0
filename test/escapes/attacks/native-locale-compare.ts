import { survives } from '../survives.ts'

survives(
  'native locale compare',
  'globalThis.h=()=>{const s="\\u0301a".repeat(1.5e7);return (s+"a").localeCompare(s+"b","de",{sensitivity:"base"})}',
)
