import { survives } from '../survives.ts'

survives('own timer flood', 'globalThis.h = () => { for (;;) setTimeout(() => {}, 0) }', { kinds: ['too_many_calls'] })
