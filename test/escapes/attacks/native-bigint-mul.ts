import { survives } from '../survives.ts'

survives('native bigint mul', 'globalThis.h=()=>{let a=(1n<<(1n<<29n))-1n;return String((a*a)%7n)}')
