import { readdirSync, readFileSync } from 'node:fs'
import { openProcessStat } from '../processes/process-stat.ts'

const lookEvery = 100

/** Calls `exceeded` once the process and its children hold more than that. Where there is no /proc, V8's own limit holds. */
export function watchMemory(pid: number, limitMb: number, exceeded: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  const timer = setInterval(() => {
    if (residentMb(pid) + childrenOf(pid).reduce((sum, child) => sum + residentMb(child), 0) > limitMb) exceeded()
  }, lookEvery)
  return () => clearInterval(timer)
}

function residentMb(pid: number): number {
  const stat = openProcessStat(pid, '/proc')
  const mb = stat.read()?.rssMb ?? 0
  stat.close()
  return mb
}

/** Any thread may have started one. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}
