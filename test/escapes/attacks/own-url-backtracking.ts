import { survives } from '../survives.ts'

survives(
  'own hostile URL',
  'globalThis.h = () => { try { return new URL("http://" + "a@".repeat(1e5) + "/../".repeat(1e5)).href.length } catch { return 0 } }',
)
