import { parentPort } from 'node:worker_threads'
import { sanitise } from './sanitise.ts'

export type SanitiseJob = { html: string; slug: string }
export type SanitiseResult = { html: string } | { refused: string }

parentPort?.on('message', ({ html, slug }: SanitiseJob) => {
  let result: SanitiseResult
  try {
    result = { html: sanitise(html, slug) }
  } catch (error) {
    result = { refused: error instanceof Error ? error.message : 'HTML could not be read' }
  }
  parentPort?.postMessage(result)
})
parentPort?.postMessage('ready')
