import { readFileSync } from 'node:fs'

/**
 * The cores for strangers' code, as `taskset` and the kernel write them ("1-3,5"): all that this process may use but the
 * first, which stays with the platform, its database and whoever else the machine serves. However many guests burn, an API
 * request finds a core that none of them holds. Undefined where there is one core only, or no `/proc` that says.
 */
export function coresForStrangers(procPath: string): string | undefined {
  const [first, ...others] = allowedCores(procPath)
  return first === undefined || others.length === 0 ? undefined : others.join(',')
}

function allowedCores(procPath: string): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`${procPath}/self/status`, 'latin1'))?.[1] ?? ''
    return coresOf(list)
  } catch {
    return []
  }
}

/** "0-2,5" is 0, 1, 2 and 5. */
export function coresOf(list: string): number[] {
  return list
    .split(',')
    .filter((part) => /^\d+(-\d+)?$/.test(part))
    .flatMap((part) => {
      const [from, to] = part.split('-').map(Number) as [number, number?]
      return Array.from({ length: (to ?? from) - from + 1 }, (_, index) => from + index)
    })
}
