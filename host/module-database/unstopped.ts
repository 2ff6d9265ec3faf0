import { setPriority } from 'node:os'
import type pg from 'pg'
import type { LeftBehind } from './module-database.ts'

/** How long the server may take, on the fullest machine, to notice a cancellation and that its client has gone. */
const patienceMs = 5_000
const lastInLine = 19

export type UnstoppedWatch = {
  watch(left: LeftBehind): void
  close(): void
}

/**
 * PostgreSQL looks for a cancellation where its code asks for one. `translate` of two long texts never does, nor does `@>` of
 * two long arrays: they hold a core for minutes, and what ends their process ends the whole server. So such a statement is a
 * strike against whoever sent it, as a lost runner is, and where the server is on this machine it gets what nobody else wants
 * of the CPU.
 */
export function watchUnstopped(options: {
  system: pg.Pool
  /** Whether the server's processes are this machine's. */
  sameMachine: boolean
  onFound: (left: LeftBehind) => Promise<void>
  onError: (error: unknown) => void
  patience?: number
}): UnstoppedWatch {
  const { system, sameMachine, onFound, onError, patience = patienceMs } = options
  const waiting = new Set<NodeJS.Timeout>()
  let closed = false

  async function look(left: LeftBehind): Promise<void> {
    const { rows } = await system.query<{ works: boolean }>('select module_host.is_at_work($1, $2) as works', [
      left.pid,
      left.role,
    ])
    if (!rows[0]?.works) return
    if (sameMachine) yieldToOthers(left.pid)
    await onFound(left)
  }
  return {
    watch(left) {
      if (closed) return
      const timer = setTimeout(() => {
        waiting.delete(timer)
        look(left).catch(onError)
      }, patience)
      waiting.add(timer)
    },
    close() {
      closed = true
      for (const timer of waiting) clearTimeout(timer)
      waiting.clear()
    },
  }
}

function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, lastInLine)
  } catch {
    // It has ended meanwhile, or this user may not: it goes on as it is.
  }
}
