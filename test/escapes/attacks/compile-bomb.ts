import { survives } from '../survives.ts'

const depth = 4_000
survives('compile bomb', `globalThis.h=()=>1;var z=${'(a=>'.repeat(depth)}1${')'.repeat(depth)}`)
