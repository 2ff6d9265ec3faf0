import assert from 'node:assert/strict'
import { test } from 'node:test'
import v8 from 'node:v8'
import { resolveLimits } from '../../host/isolates/limits.ts'
import { engineFlags } from '../../host/isolates/runner-image.ts'
import {
  createIsolateFactory,
  disposeGuest,
  heapMb,
  loadBundle,
  stepGuest,
  sweepGuest,
} from '../../host/isolates/runner/guest-isolate.ts'
import { callMessage } from '../../host/isolates/wire/messages.ts'
import { moduleOf } from './support.ts'

for (const flag of engineFlags) v8.setFlagsFromString(flag)
const createIsolate = createIsolateFactory(resolveLimits({}))
const sliceMs = 1_000

function loaded(code: string) {
  const guest = createIsolate()
  assert.deepEqual(loadBundle(guest, { code, cache: undefined }, sliceMs), { ok: true, outbox: '', orphan: undefined })
  return guest
}
const answerOf = (guest: ReturnType<typeof loaded>) => stepGuest(guest, callMessage(1, 'route', 'null'), sliceMs)

test('what loading left behind is given back', () => {
  const litter = `globalThis.kept = 1; for (let i = 0; i < 200; i++) Array.from({ length: 1000 }, (_, n) => ({ n }))`
  const guest = loaded(`${litter};${moduleOf('() => globalThis.kept')}`)
  const before = heapMb(guest)
  assert.ok(sweepGuest(guest, sliceMs))
  assert.ok(heapMb(guest) < before - 1, `${before} MB, then ${heapMb(guest)} MB`)
  assert.deepEqual(answerOf(guest), { ok: true, outbox: '0d1 1\n1', orphan: undefined })
  disposeGuest(guest)
})

test('no code of a guest runs while it is swept, whatever it put on its prototypes and globals', () => {
  const traps = `globalThis.ran = 0
for (const name of ['type', 'execution', 'flavor', 'filename', 'then', 'gc'])
  Object.defineProperty(Object.prototype, name, { get() { globalThis.ran++; for (;;); }, set() { globalThis.ran++ } })
Object.prototype.toString = Object.prototype.valueOf = () => { globalThis.ran++; for (;;); }`
  const guest = loaded(`${moduleOf('() => globalThis.ran')};${traps}`)
  assert.ok(sweepGuest(guest, sliceMs))
  assert.deepEqual(answerOf(guest), { ok: true, outbox: '0d1 1\n0', orphan: undefined })
  disposeGuest(guest)
  assert.ok(sweepGuest(guest, sliceMs), 'one that is gone needs none')
})
