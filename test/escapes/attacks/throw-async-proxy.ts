import { survives } from '../survives.ts'

survives('throw async proxy', 'globalThis.h=async()=>{throw new Proxy({}, {get(){throw 1}})}')
