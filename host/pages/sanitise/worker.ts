import { parentPort } from 'node:worker_threads'
import { stepBack } from './priority.ts'

export type SanitiseJob = {
  html: string
  slug: string
  /** A mobile screen, which leads below `mobile/` only. */
  mobile: boolean
}
export type SanitiseResult = { html: string } | { refused: string }

// First of all, since loading the rest is already more work than a page.
stepBack()
const { sanitise } = await import('./sanitise.ts')

parentPort?.on('message', (job: SanitiseJob) => {
  let result: SanitiseResult
  try {
    result = { html: sanitise(job.html, job) }
  } catch (error) {
    result = { refused: error instanceof Error ? error.message : 'HTML could not be read' }
  }
  parentPort?.postMessage(result)
})
parentPort?.postMessage('ready')
