import { setTimeout as pause } from 'node:timers/promises'
import { askHost, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Line = { at: string; invocation_id: string; level: string; message: string }

const pollEvery = 500

export async function logs(slug: string, options: RemoteOptions & { follow?: boolean }): Promise<void> {
  await reportRefusal(options, async () => {
    let after: string | undefined
    do {
      const query = new URLSearchParams({ app: slug, ...(after ? { after } : {}) })
      const { lines } = await askHost<{ lines: Line[] }>(options.url, `/logs?${query}`)
      for (const line of lines) {
        console.log(
          options.json ? JSON.stringify(line) : `${line.at} ${line.invocation_id} ${line.level}: ${line.message}`,
        )
      }
      after = lines.at(-1)?.at ?? after
      if (options.follow) await pause(pollEvery)
    } while (options.follow)
  })
}
