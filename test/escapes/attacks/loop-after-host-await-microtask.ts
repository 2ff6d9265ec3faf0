import { survives } from '../survives.ts'

survives('loop after host await microtask', 'globalThis.h=async()=>{await hostCall("x");for(;;)await 0}')
