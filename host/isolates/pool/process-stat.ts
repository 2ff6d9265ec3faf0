import { closeSync, openSync, readSync } from 'node:fs'

/** One look at a process: CPU time in ms, resident memory in MB, and whether it is running or runnable. */
export type ProcessStat = { cpuMs: number; rssMb: number; runnable: boolean }

/** Linux counts CPU time here in ticks of 10 ms and memory in pages of 4 kB on every platform Node supports. */
const msPerTick = 10
const pagesPerMb = 256

/** Reads `/proc/<pid>/stat` through one open file. Undefined where there is none: the watchdog then goes by silence. */
export function openProcessStat(
  pid: number,
  procPath: string,
): { read: () => ProcessStat | undefined; close: () => void } {
  let fd: number | undefined
  const buffer = Buffer.alloc(1_024)
  try {
    fd = openSync(`${procPath}/${pid}/stat`, 'r')
  } catch {
    fd = undefined
  }
  return {
    read() {
      if (fd === undefined) return undefined
      try {
        const text = buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
        return {
          cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
          rssMb: Number(fields[21]) / pagesPerMb,
          runnable: fields[0] === 'R',
        }
      } catch {
        return undefined
      }
    },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}
