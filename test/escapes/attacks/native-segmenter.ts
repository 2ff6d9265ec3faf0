import { survives } from '../survives.ts'

survives(
  'native segmenter',
  'globalThis.h=()=>[...new Intl.Segmenter("th",{granularity:"word"}).segment("ก".repeat(3e5))].length',
)
