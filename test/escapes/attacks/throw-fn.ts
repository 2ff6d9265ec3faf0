import { survives } from '../survives.ts'

survives('throw fn', 'globalThis.h=()=>{throw ()=>1}')
