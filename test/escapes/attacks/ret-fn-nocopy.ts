import { survives } from '../survives.ts'

survives('ret fn nocopy', 'globalThis.h=()=>function evil(){return 1}')
