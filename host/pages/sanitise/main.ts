import { runAsChild } from '../../processes/child-process.ts'
import type { Place } from './addresses.ts'
import { createEffort } from './effort.ts'
import { ownWorkMs } from './limits.ts'
import { HtmlRefused } from './refused.ts'
import { sanitise } from './sanitise.ts'

export type SanitiseJob = Place & { html: string }
export type SanitiseResult = { html: string } | { refused: string }

function clean(job: SanitiseJob): SanitiseResult {
  try {
    return { html: sanitise(job.html, job, createEffort(ownWorkMs)) }
  } catch (error) {
    return { refused: error instanceof HtmlRefused ? error.message : 'HTML could not be read' }
  }
}

runAsChild<void, void>(async () => ({ answer: undefined, methods: { clean }, stop: async () => {} }))
