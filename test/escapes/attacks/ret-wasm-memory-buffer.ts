import { survives } from '../survives.ts'

survives('ret wasm memory buffer', 'globalThis.h=()=>new WebAssembly.Memory({initial:1}).buffer')
