export type LogLine = { at: string; invocation_id: string; position: number; level: string; message: string }

/** Oldest first. `more`: there are others, older ones where the newest were asked for. */
export type LogPage = { lines: LogLine[]; more: boolean }

/** The newest lines, or those from a time on, or those behind a line. */
export type LogQuery = { after?: string; invocation?: string; position?: string; limit?: string }

/** In milliseconds. Web processes write their lines a moment after they were logged, each at its own time: what came late is older. */
const overlap = 2_000
const limit = '1000'
const keyOf = ({ invocation_id, position }: LogLine) => `${invocation_id} ${position}`

/** Reads a module's log as it grows: each pass yields what has come since the last one, every line once. */
export function createLogReader(ask: (query: LogQuery) => Promise<LogPage>) {
  let since: string | null = null
  /** Of the lines that the next pass sees again: where and when. */
  let shown = new Map<string, string>()

  async function* newest(): AsyncGenerator<LogLine> {
    const { lines, more } = await ask({})
    yield* keep(lines)
    // Older lines that were left out stay so.
    lookFrom(lines.at(-1)?.at, more ? lines[0]!.at : '')
  }

  async function* from(start: string): AsyncGenerator<LogLine> {
    let page = await ask({ after: start, limit })
    let last = page.lines.at(-1)
    yield* keep(page.lines)
    while (page.more && last) {
      page = await ask({ after: last.at, invocation: last.invocation_id, position: String(last.position), limit })
      last = page.lines.at(-1) ?? last
      yield* keep(page.lines)
    }
    lookFrom(last?.at, start)
  }

  function* keep(lines: LogLine[]): Generator<LogLine> {
    for (const line of lines) {
      if (shown.has(keyOf(line))) continue
      shown.set(keyOf(line), line.at)
      yield line
    }
  }

  function lookFrom(newestAt: string | undefined, earliest: string): void {
    const start = new Date(newestAt ? Date.parse(newestAt) - overlap : 0).toISOString()
    since = start > earliest ? start : earliest
    shown = new Map([...shown].filter(([, at]) => at >= since!))
  }

  return { read: () => (since === null ? newest() : from(since)) }
}
