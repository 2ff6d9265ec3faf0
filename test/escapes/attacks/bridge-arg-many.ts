import { survives } from '../survives.ts'

survives('bridge arg many', 'globalThis.h=()=>hostSync(...new Array(1e5).fill(0))')
