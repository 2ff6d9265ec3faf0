/** The thread behind `createGuard`: answers one text at a time, and nothing else. */
import { parentPort } from 'node:worker_threads'
import type { GuardOptions } from './guard.ts'
import { checkSql, loadGuard } from './guard.ts'

const port = parentPort
if (port) {
  await loadGuard()
  port.on('message', (job: { text: string; options: GuardOptions }) => {
    port.postMessage(checkSql(job.text, job.options))
  })
}
