import { survives } from '../survives.ts'

survives('mem regex matchall', 'globalThis.h=()=>"a".repeat(1e8).match(/a/g).length')
