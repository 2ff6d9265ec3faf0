import { survives } from '../survives.ts'

survives('throw proxy revoked', 'globalThis.h=()=>{const r=Proxy.revocable({}, {});r.revoke();throw r.proxy}')
