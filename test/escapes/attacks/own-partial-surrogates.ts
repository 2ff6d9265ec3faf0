import { survives } from '../survives.ts'

survives(
  'own lone surrogates in every text',
  'globalThis.h = async () => { console.log("\\ud800".repeat(999)); return [await hostCall("\\udfff"), "\\ud83d"] }',
  { value: '["r","\\ud83d"]' },
)
