import { survives } from '../survives.ts'

survives(
  'own interval flood',
  `globalThis.h = () => new Promise(() => {
    for (let i = 0; i < 60; i++) setInterval(() => { for (let n = 0; n < 2e5; n++) Math.sqrt(n) }, 1)
  })`,
  { kinds: ['timeout', 'cpu'] },
)
