import { printableEntry } from '../../policy/printable.ts'
import { askHost, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Invoked = {
  ok: boolean
  status: number
  text?: string
  error?: string
  invocation_id: string
  log: { level: string; message: string }[]
  used: { cpu_ms: number; service_calls: number }
}

type InvokeOptions = RemoteOptions & { tenant?: string; as?: string; data?: string }

export async function invoke(slug: string, target: string | undefined, options: InvokeOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<Invoked>(options.url, '/invoke', {
      slug,
      ...(target ? { target } : {}),
      ...(options.data === undefined ? {} : { data: readData(options.data), method: 'POST' }),
      ...(options.tenant ? { tenant: options.tenant } : {}),
      ...(options.as === undefined ? {} : { as: options.as }),
    })
    print(options, answer, ({ status, text, error, log, used, invocation_id }) => [
      `${status} ${error ?? ''} (invocation ${invocation_id}, ${used.cpu_ms.toFixed(1)} ms CPU, ${used.service_calls} calls)`,
      ...log.map(({ level, message }) => printableEntry(`  ${level}: ${message}`)),
      ...(text ? [text] : []),
    ])
    if (!answer.ok || answer.status >= 400) process.exitCode = 1
  })
}

function readData(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(`--data takes JSON, for example '{"name": "Mona"}'`, null)
  }
}
