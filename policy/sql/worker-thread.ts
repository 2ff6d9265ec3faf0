/** The thread behind `createGuard`: answers one text at a time, and nothing else. */
import { parentPort } from 'node:worker_threads'
import type { GuardResult } from './guard.ts'
import { checkSql, loadGuard } from './guard.ts'
import { refusedWhole } from './result.ts'
import { RewriteRefused, rewriteRuntimeStatement } from './rewrite.ts'
import type { ThreadOptions } from './worker.ts'

const port = parentPort
if (port) {
  await loadGuard()
  port.on('message', (job: { text: string; options: ThreadOptions }) => {
    port.postMessage(answerTo(job))
  })
}

function answerTo({ text, options }: { text: string; options: ThreadOptions }): GuardResult {
  const verdict = checkSql(text, options)
  if (!verdict.ok || options.runSchema === undefined) return verdict
  try {
    const statements = verdict.statements.map((statement) => ({
      ...statement,
      text: rewriteRuntimeStatement(statement, options).text,
    }))
    return { ok: true, statements }
  } catch (error) {
    if (!(error instanceof RewriteRefused)) throw error
    return refusedWhole(error.rule, error.message)
  }
}
