import { openProcessStat } from '../processes/process-stat.ts'
import { familyOf } from './family.ts'

const lookEvery = 100

/** Calls `exceeded` once the process and its children hold more than that. Where there is no /proc, V8's own limit holds. */
export function watchMemory(pid: number, limitMb: number, exceeded: () => void): () => void {
  if (process.platform !== 'linux') return () => {}
  const timer = setInterval(() => {
    if (familyOf(pid).reduce((sum, member) => sum + residentMb(member), 0) > limitMb) exceeded()
  }, lookEvery)
  return () => clearInterval(timer)
}

function residentMb(pid: number): number {
  const stat = openProcessStat(pid, '/proc')
  const mb = stat.read()?.rssMb ?? 0
  stat.close()
  return mb
}
