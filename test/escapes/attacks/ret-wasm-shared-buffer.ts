import { survives } from '../survives.ts'

survives('ret wasm shared buffer', 'globalThis.h=()=>new WebAssembly.Memory({initial:1,maximum:10,shared:true}).buffer')
