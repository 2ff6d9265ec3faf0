import { closeSync, openSync, readSync } from 'node:fs'

/**
 * One look at a process: CPU time in ms, in steps of 10; nanoseconds its first thread ran, exactly; resident memory in MB;
 * whether it is running or runnable.
 */
export type ProcessStat = { cpuMs: number; ranNs: number; rssMb: number; runnable: boolean }

/** Linux counts CPU time here in ticks of 10 ms and memory in pages of 4 kB on every platform Node supports. */
const msPerTick = 10
const pagesPerMb = 256

/**
 * Reads `/proc/<pid>/stat`, and `schedstat` where the kernel keeps it, through files that stay open. Undefined where there
 * are none: whoever judges then goes by the clock.
 */
export function openProcessStat(
  pid: number,
  procPath: string,
): { read: () => ProcessStat | undefined; close: () => void } {
  const open = (file: string): number | undefined => {
    try {
      return openSync(`${procPath}/${pid}/${file}`, 'r')
    } catch {
      return undefined
    }
  }
  const files = { stat: open('stat'), schedstat: open('schedstat') }
  const buffer = Buffer.alloc(1_024)
  const textOf = (fd: number) => buffer.toString('latin1', 0, readSync(fd, buffer, 0, buffer.length, 0))
  return {
    read() {
      if (files.stat === undefined) return undefined
      try {
        const text = textOf(files.stat)
        const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
        const cpuMs = (Number(fields[11]) + Number(fields[12])) * msPerTick
        return {
          cpuMs,
          ranNs: files.schedstat === undefined ? cpuMs * 1e6 : Number.parseInt(textOf(files.schedstat), 10),
          rssMb: Number(fields[21]) / pagesPerMb,
          runnable: fields[0] === 'R',
        }
      } catch {
        return undefined
      }
    },
    close() {
      for (const fd of [files.stat, files.schedstat]) if (fd !== undefined) closeSync(fd)
      files.stat = files.schedstat = undefined
    },
  }
}
