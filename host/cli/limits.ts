import { describeRange, isInRange, isRequestLimit, requestLimitNames } from '../isolates/limits.ts'
import type { AppLimits } from '../operator/limits.ts'
import { askHost, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type LimitOptions = RemoteOptions & { set?: string[]; reset?: boolean }

/** Shows what a request of one app may use, or changes it for this app alone. */
export async function limits(slug: string, { set, reset, ...options }: LimitOptions): Promise<void> {
  await reportRefusal(options, async () => {
    if (set && reset) throw new Refused('--set and --reset exclude each other', null)
    const change = set || reset ? { app: slug, limits: set ? readSettings(set) : null } : undefined
    const path = change ? '/limits' : `/limits?${new URLSearchParams({ app: slug })}`
    print(options, await askHost<AppLimits>(options.url, path, change), asTable)
  })
}

/** `cpuMs=2000` or `cpuMs=default`, as the host wants them. Whatever is wrong is said in one line. */
function readSettings(texts: readonly string[]): Record<string, number | null> {
  const settings: Record<string, number | null> = {}
  const wrong: string[] = []
  for (const text of texts) {
    const [, name = text, value = ''] = /^(\w+)=(.*)$/.exec(text) ?? []
    if (!isRequestLimit(name)) {
      wrong.push(`${JSON.stringify(name)} is no limit of a request; those are ${requestLimitNames.join(', ')}`)
    } else if (value === 'default') settings[name] = null
    else if (/^\d+$/.test(value) && isInRange(name, Number(value))) settings[name] = Number(value)
    else wrong.push(`${name} ${describeRange(name)}, or default`)
  }
  if (wrong.length > 0) throw new Refused(wrong.join('; '), null)
  return settings
}

function asTable({ limits, problems }: AppLimits): string[] {
  const rows = limits.map((limit) => [
    limit.name,
    `${limit.value}${limit.own ? '*' : ' '}`,
    `${limit.default}`,
    `${limit.min} to ${limit.max}`,
  ])
  const lines = [['limit', 'value ', 'default', 'range'], ...rows].map(([name, value, usual, range]) =>
    [name!.padEnd(14), value!.padStart(9), usual!.padStart(9), ` ${range}`].join(' '),
  )
  return [...lines, ...(limits.some(({ own }) => own) ? ['* set for this app'] : []), ...problems]
}
