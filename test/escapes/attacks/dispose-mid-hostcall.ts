import { survives } from '../survives.ts'

survives('dispose mid hostcall', 'globalThis.h=async()=>{await hostCall("slow");return 1}')
