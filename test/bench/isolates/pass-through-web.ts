import { createIsolateClient } from '../../../host/isolates/client/client.ts'
import { linksFromSupervisor } from '../../../host/isolates/client/supervisor-links.ts'
import { moduleOf, requestOf } from '../../isolates/support.ts'
import { cpuMs, rows } from './pass-through-rows.ts'

/** A web process, as the supervisor starts them, that asks a module for one megabyte and never looks inside. */
const client = createIsolateClient({ links: linksFromSupervisor(process) })
const text = JSON.stringify(rows)
const handle = 'async (entry, input, call) => (globalThis.rows ??= JSON.stringify(await call("rows")))'
const code = moduleOf(handle)

process.on('message', async (message: string) => {
  if (message !== 'measure') return
  const took = await cpuMs(async () => {
    const answer = await client.call(requestOf('megabyte', code, { serve: async () => text }))
    if (!answer.ok || !('lent' in answer.result)) throw new Error('another answer')
    const { lent } = answer.result
    if (lent.bytes.length !== text.length) throw new Error('another length')
    lent.release()
  })
  process.send?.(took)
})
process.on('disconnect', () => process.exit(0))
