import { survives } from '../survives.ts'

survives('ret huge string 500m', 'globalThis.h=()=>"a".repeat(2**29-24)')
