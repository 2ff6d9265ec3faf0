import { setTimeout as pause } from 'node:timers/promises'
import { printableEntry } from '../../policy/printable.ts'
import { createLogReader, type LogLine, type LogPage } from './log-reader.ts'
import { askHost, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

const pollEvery = 500

export async function logs(slug: string, options: RemoteOptions & { follow?: boolean }): Promise<void> {
  await reportRefusal(options, async () => {
    let first: LogPage | undefined
    const reader = createLogReader(async (query) => {
      const path = `/logs?${new URLSearchParams({ app: slug, ...query })}`
      const page = await askHost<LogPage>(options.url, path).catch(unknownApp(slug))
      first ??= page
      return page
    })
    for await (const line of reader.read()) show(line, options)
    if (first?.more)
      console.error(`partner: these are the newest ${first.lines.length} lines, and there are older ones`)
    while (options.follow) {
      await pause(pollEvery)
      for await (const line of reader.read()) show(line, options)
    }
  })
}

function show(line: LogLine, { json }: RemoteOptions): void {
  const { at, invocation_id, level, message } = line
  console.log(json ? JSON.stringify(line) : printableEntry(`${at} ${invocation_id} ${level}: ${message}`))
}

const unknownApp = (slug: string) => (error: unknown) => {
  const isUnknown = error instanceof Refused && error.code === 'not_found'
  throw isUnknown ? new Refused(`no app of this host is called ${slug}`, null, error.code) : error
}
