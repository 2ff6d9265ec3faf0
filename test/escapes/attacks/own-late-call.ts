import { survives } from '../survives.ts'

survives(
  'own call after the request has ended',
  'globalThis.h = () => { setTimeout(() => hostCall("late"), 5); hostCall("slow").then(() => hostCall("later")); return 1 }',
  { value: '1' },
)
