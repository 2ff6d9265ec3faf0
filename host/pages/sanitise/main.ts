import { runAsChild } from '../../processes/child-process.ts'
import type { Place } from './addresses.ts'
import { createEffort } from './effort.ts'
import { ownWorkMs } from './limits.ts'
import { HtmlRefused } from './refused.ts'
import { sanitise } from './sanitise.ts'

export type SanitiseJob = Place & { html: string }
/** `removed`: the first address that was taken out, in words for the log of the module. */
export type CleanHtml = { html: string; removed: string | null }
export type SanitiseResult = CleanHtml | { refused: string }

function clean(job: SanitiseJob): SanitiseResult {
  try {
    let removed: string | null = null
    const html = sanitise(job.html, job, createEffort(ownWorkMs), (description) => {
      removed ??= description
    })
    return { html, removed }
  } catch (error) {
    return { refused: error instanceof HtmlRefused ? error.message : 'HTML could not be read' }
  }
}

runAsChild<void, void>(async () => ({ answer: undefined, methods: { clean }, stop: async () => {} }))
