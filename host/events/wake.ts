import pg from 'pg'

const channel = 'deliveries'

/** NOTIFY serialises commits, so it is sent at most this often, in milliseconds, and never in a change's own transaction. */
const shortestPause = 100
/** The change that asked for it commits in the meantime. */
const firstDelay = 25

/** Tells the workers that something may be due. */
export function createWaker(pool: pg.Pool): { wake: () => void; close(): void } {
  let timer: NodeJS.Timeout | null = null
  let lastSent = 0
  const send = () => {
    timer = null
    lastSent = Date.now()
    // A worker that hears nothing looks by itself within a second.
    pool.query(`select pg_notify('${channel}', '')`).catch(() => {})
  }
  return {
    wake() {
      if (timer) return
      timer = setTimeout(send, Math.max(firstDelay, lastSent + shortestPause - Date.now()))
      timer.unref()
    },
    close() {
      if (timer) clearTimeout(timer)
    },
  }
}

/** Calls `wake` on every notice, on a connection of its own that is made again when it is lost. */
export function listenForWakes(connection: pg.ClientConfig, wake: () => void): { close(): Promise<void> } {
  const pauseAfterLoss = 500
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let closed = false
  const connect = async () => {
    timer = null
    const next = new pg.Client({ connectionTimeoutMillis: 5_000, ...connection })
    client = next
    next.on('notification', wake)
    const lost = () => {
      if (closed || client !== next) return
      client = null
      timer = setTimeout(connect, pauseAfterLoss)
    }
    next.on('error', lost)
    next.on('end', lost)
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
      wake()
    } catch {
      // Connected and refused, as a standby refuses LISTEN, it would stay open beside each that follows.
      await next.end().catch(() => {})
      lost()
    }
  }
  void connect()
  return {
    async close() {
      closed = true
      if (timer) clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
