import assert from 'node:assert/strict'
import type { FaultReport } from './fault-run.ts'

/** An answer is written down at most this long after it came, in milliseconds: a fault until then may repeat the delivery. */
const bookkeeping = 4_000

/** Every event reached every receiver, signed right; what came twice came under the same id, and around a fault, or after an answer that came too late. */
export function judgeFaults(report: FaultReport, events: number): { deliveries: number; duplicates: number } {
  const { created, receivers, faults, open, states } = report
  const timedOut = new Set(report.timedOut)
  assert.equal(created.length, events)
  assert.equal(new Set(created).size, events, 'no student was created twice')
  assert.equal(open, 0)
  assert.deepEqual(states, { delivered: events * receivers.length })
  let duplicates = 0
  for (const { kind, notes, followed } of receivers) {
    assert.equal(followed, 0, `${kind}: a redirect was followed`)
    assert.ok(
      notes.every(({ signed }) => signed),
      `${kind}: a wrong signature`,
    )
    const accepted = notes.filter((note) => note.accepted)
    assert.deepEqual(
      new Set(accepted.map(({ recordId }) => recordId)),
      new Set(created),
      `${kind}: an event is missing`,
    )
    const ids = new Map<string, string>()
    for (const { recordId, deliveryId } of notes) {
      assert.equal(ids.get(recordId) ?? deliveryId, deliveryId, `${kind}: one event under two ids`)
      ids.set(recordId, deliveryId)
    }
    const seen = new Map<string, number>()
    for (const { deliveryId, at } of accepted) {
      const before = seen.get(deliveryId)
      seen.set(deliveryId, at)
      if (before === undefined) continue
      duplicates++
      const isNear = ({ from, to }: (typeof faults)[number]) => before >= from - bookkeeping && before <= to + 50
      const nearest = Math.min(...faults.map(({ from, to }) => Math.max(from - before, before - to)))
      assert.ok(
        timedOut.has(deliveryId) || faults.some(isNear),
        `${kind}: a delivery came twice, ${nearest} ms from a fault`,
      )
    }
  }
  return { deliveries: events * receivers.length, duplicates }
}
