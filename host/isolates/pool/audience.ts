import type { ChildProcess } from 'node:child_process'
import type { CondemnMessage, LinkMessage, RunnerLink, RunnerLinks, RunnerRole } from '../links.ts'
import type { RunnerProcess } from './runner-process.ts'

/**
 * Everybody who uses the runners. Each gets a lane of its own into every runner, so no web process can read another's
 * traffic; a runner whose lanes are used up is killed and replaced by one with fresh ones.
 */
export function createAudience(condemn: (runner: number, reason: string) => void) {
  const listeners = new Set<(link: RunnerLink) => void>()
  const serving = new Map<RunnerProcess, RunnerRole>()

  const offer = (listener: (link: RunnerLink) => void, runner: RunnerProcess, role: RunnerRole) => {
    const taken = runner.takeLane()
    if (taken === undefined) return runner.kill('rotated: its lanes are used up')
    const { lane, socket } = taken
    const lost = runner.exited.then(({ reason, culprit }) => {
      if (culprit === undefined) return { reason, culprit: null }
      return { reason, culprit: culprit.lane === lane ? culprit.isolate : ('elsewhere' as const) }
    })
    listener({ id: runner.id, role, socket, lost })
  }
  return {
    announce(runner: RunnerProcess, role: RunnerRole) {
      serving.set(runner, role)
      runner.exited.then(() => serving.delete(runner))
      for (const listener of listeners) offer(listener, runner, role)
    },
    links: (): RunnerLinks => ({
      subscribe(listener) {
        listeners.add(listener)
        for (const [runner, role] of [...serving]) offer(listener, runner, role)
        return () => listeners.delete(listener)
      },
      condemn,
    }),
    close: () => listeners.clear(),
  }
}

/** Passes links on to a web process: the socket itself changes hands, no frame passes through the supervisor. */
export function serveWebProcess(links: RunnerLinks, child: ChildProcess): void {
  // One that never was, or is gone, says no end: every runner to come would keep a lane for it.
  if (child.pid === undefined || !child.connected) return
  const send = (message: LinkMessage, socket?: RunnerLink['socket']) => {
    if (child.connected) child.send(message, socket, {}, () => {})
  }
  const stop = links.subscribe((link) => {
    send({ partner: 'runner.open', runner: link.id, role: link.role }, link.socket)
    link.lost.then((loss) => send({ partner: 'runner.lost', runner: link.id, loss }))
  })
  child.on('message', (message: CondemnMessage | { partner?: undefined }) => {
    if (message?.partner === 'runner.condemn') links.condemn(message.runner, message.reason)
  })
  child.once('exit', stop)
}
