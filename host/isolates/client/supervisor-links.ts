import { Socket } from 'node:net'
import type { CondemnMessage, LinkMessage, RunnerLink, RunnerLinks, RunnerLoss } from '../links.ts'

/** What this needs of `process` in a web process: its channel to the supervisor. */
export type SupervisorChannel = {
  on: (event: 'message', listener: (message: unknown, handle: unknown) => void) => unknown
  off: (event: 'message', listener: (message: unknown, handle: unknown) => void) => unknown
  send?: (message: CondemnMessage) => boolean
}

const isLinkMessage = (message: unknown): message is LinkMessage =>
  typeof message === 'object' &&
  message !== null &&
  'partner' in message &&
  String(message.partner).startsWith('runner.')

/** The links that a supervisor hands this web process, one socket for each runner. Listens at once, forgets nothing. */
export function linksFromSupervisor(channel: SupervisorChannel): RunnerLinks & { close: () => void } {
  const listeners = new Set<(link: RunnerLink) => void>()
  const known = new Map<number, { link: RunnerLink; lose: (loss: RunnerLoss) => void }>()

  const onMessage = (message: unknown, handle: unknown) => {
    if (!isLinkMessage(message)) return
    if (message.partner === 'runner.lost') {
      known.get(message.runner)?.lose(message.loss)
      known.delete(message.runner)
    } else if (handle instanceof Socket) {
      const { promise: lost, resolve: lose } = Promise.withResolvers<RunnerLoss>()
      const link: RunnerLink = { id: message.runner, role: message.role, socket: handle, lost }
      known.set(link.id, { link, lose })
      for (const listener of listeners) listener(link)
    }
  }
  channel.on('message', onMessage)
  return {
    subscribe(listener) {
      listeners.add(listener)
      for (const { link } of known.values()) listener(link)
      return () => listeners.delete(listener)
    },
    condemn: (runner, reason) => void channel.send?.({ partner: 'runner.condemn', runner, reason }),
    close: () => channel.off('message', onMessage),
  }
}
