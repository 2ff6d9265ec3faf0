import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { test } from 'node:test'
import { createStatementGuard } from '../../host/module-database/statement-guard.ts'
import { createGuard } from '../../policy/sql/worker.ts'

test("long texts are judged and put into their tenant's form beside the thread that serves", async () => {
  const guard = createGuard({ timeLimitMs: 120_000 })
  const statements = createStatementGuard(guard)
  const rows = Array.from({ length: 5_000 }, (_, n) => `('${n}')`).join(',')
  const text = (n: number) => `insert into note (id) values ${rows},('${n}') on conflict (id) do nothing`
  await statements(text(0), 'm_alpha', 'm_alpha')
  const before = performance.eventLoopUtilization()
  for (let n = 1; n <= 20; n++) {
    const { text: sent } = await statements(text(n), 'm_alpha', 'm_alpha')
    assert.match(sent, /on conflict \(tenant_id, id\) do nothing$/)
  }
  const { utilization } = performance.eventLoopUtilization(before)
  assert.ok(utilization < 0.3, `the serving thread worked ${Math.round(utilization * 100)} % of the time`)
  await guard.close()
})
