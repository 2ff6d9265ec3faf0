import type { Socket } from 'node:net'
import pg from 'pg'

/** `answerTimeoutMillis`: how long the server may take over one round trip; for ever where it is not said. */
export type AnsweringConfig = pg.PoolConfig & { answerTimeoutMillis?: number }

/** An hour, of times that may take 35 seconds. */
const mostPatience = 100

const looks = 5

/** What pg's types leave out. */
type Inside = { readyForQuery: boolean; connection: { stream: Socket } }

/**
 * A session that gives up a server which says nothing any more and does not close either: one whose processes stand still, or
 * that vanished from the network with a statement under way. The server's own limits end what merely takes long, so this one
 * is above them, and up to a fifth more. It looks now and then whether anything moved: a round trip pays nothing for it.
 */
export class AnsweringClient extends pg.Client {
  #patience = 0
  #moved = 0
  #still = 0

  constructor(config: AnsweringConfig) {
    super(config)
    const { answerTimeoutMillis } = config
    if (answerTimeoutMillis === undefined) return
    this.once('connect', () => {
      const timer = setInterval(() => this.#look(answerTimeoutMillis), answerTimeoutMillis / looks).unref()
      this.once('end', () => clearInterval(timer))
    })
  }

  /** Until it is given back, its work may take as long as it takes: an hour for one round trip. */
  bePatient(): void {
    this.#patience = mostPatience
  }

  givenBack(): void {
    this.#patience = 0
  }

  /** False for one that is at work, or that the server has closed. */
  isReusable(): boolean {
    const { readyForQuery, connection } = this as unknown as Inside
    return readyForQuery && connection.stream.writable
  }

  #look(mostMs: number): void {
    const { readyForQuery, connection } = this as unknown as Inside
    const { bytesRead, bytesWritten } = connection.stream
    const moved = bytesRead + bytesWritten
    this.#still = readyForQuery || moved !== this.#moved ? 0 : this.#still + 1
    this.#moved = moved
    if (this.#still < looks) return
    this.#still = 0
    if (this.#patience > 0) this.#patience--
    else connection.stream.destroy(new Error(`Connection terminated: no answer within ${mostMs} ms`))
  }
}
