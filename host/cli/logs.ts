import { setTimeout as pause } from 'node:timers/promises'
import { printableEntry } from '../../policy/printable.ts'
import { askHost, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Line = { at: string; invocation_id: string; position: number; level: string; message: string }

const pollEvery = 500
/** Web processes write their lines a moment after they were logged, each at its own time: what came late is older. */
const overlap = 2_000
const keyOf = ({ invocation_id, position }: Line) => `${invocation_id} ${position}`

export async function logs(slug: string, options: RemoteOptions & { follow?: boolean }): Promise<void> {
  await reportRefusal(options, async () => {
    let after: string | undefined
    let shown = new Set<string>()
    do {
      const query = new URLSearchParams({ app: slug, ...(after ? { after, limit: '1000' } : {}) })
      const { lines } = await askHost<{ lines: Line[] }>(options.url, `/logs?${query}`).catch(unknownApp(slug))
      for (const line of lines.filter((line) => !shown.has(keyOf(line)))) {
        console.log(
          options.json
            ? JSON.stringify(line)
            : printableEntry(`${line.at} ${line.invocation_id} ${line.level}: ${line.message}`),
        )
      }
      shown = new Set(lines.map(keyOf))
      const newest = lines.at(-1)?.at
      if (newest) after = new Date(Date.parse(newest) - overlap).toISOString()
      if (options.follow) await pause(pollEvery)
    } while (options.follow)
  })
}

const unknownApp = (slug: string) => (error: unknown) => {
  const isUnknown = error instanceof Refused && error.code === 'not_found'
  throw isUnknown ? new Refused(`no app of this host is called ${slug}`, null, error.code) : error
}
