import { survives } from '../survives.ts'

survives('native last index of', 'globalThis.h=()=>("a".repeat(3e6)).lastIndexOf("b"+"a".repeat(1e6))')
