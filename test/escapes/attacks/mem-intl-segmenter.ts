import { survives } from '../survives.ts'

survives(
  'mem intl segmenter',
  'globalThis.h=()=>{const k=[];for(;;)k.push(new Intl.Segmenter("ja",{granularity:"word"}).segment("日本語".repeat(1e5))[Symbol.iterator]())}',
)
