import { survives } from '../survives.ts'

survives('own loop while loading', 'for (;;);', { kinds: ['load_failed', 'timeout', 'runner_lost'] })
