import { HtmlRefused } from './refused.ts'

/** Called for each tag of a page. */
export type Effort = () => void

const tagsALook = 64

/** Throws HtmlRefused once this process has worked so many milliseconds since now; judged by CPU time, as from outside. */
export function createEffort(limitMs: number): Effort {
  const before = process.cpuUsage()
  let tags = 0
  return () => {
    if (++tags % tagsALook !== 0) return
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1_000 >= limitMs) throw new HtmlRefused('HTML takes too long to clean')
  }
}
