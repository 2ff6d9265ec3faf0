import { survives } from '../survives.ts'

survives(
  'own orphan rejections',
  `globalThis.h = async () => {
    for (let i = 0; i < 1000; i++) Promise.reject(new Error('orphan ' + i))
    await hostCall('x')
    Promise.reject(new Error('later'))
    return 'unharmed'
  }`,
  { value: '"unharmed"' },
)
