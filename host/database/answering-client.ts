import pg from 'pg'

/** `answerTimeoutMillis`: how long the server may take over one round trip; for ever where it is not said. */
export type AnsweringConfig = pg.PoolConfig & { answerTimeoutMillis?: number }

/** An hour, of round trips that may take 35 seconds. */
const mostPatience = 100

/**
 * A session that gives up a server which says nothing any more and does not close either: one whose processes stand still, or
 * that vanished from the network with a statement under way. The server's own limits end what merely takes long, so this one
 * is above them. One timer a session, moved on with each round trip.
 */
export class AnsweringClient extends pg.Client {
  readonly #mostMs: number | undefined
  #timer: NodeJS.Timeout | undefined
  #patience = 0

  constructor(config: AnsweringConfig) {
    super(config)
    this.#mostMs = config.answerTimeoutMillis
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg tells apart by their form a dozen ways to call it
  override query(...given: any[]): any {
    if (this.#mostMs !== undefined) {
      this.#timer ??= setTimeout(() => this.#look(), this.#mostMs).unref()
      this.#timer.refresh()
    }
    return super.query(...(given as [string]))
  }

  /** Until it is given back, its work may take as long as it takes: an hour for one round trip. */
  bePatient(): void {
    this.#patience = mostPatience
  }

  givenBack(): void {
    this.#patience = 0
  }

  #look(): void {
    const { readyForQuery, connection } = this as unknown as {
      readyForQuery: boolean
      connection: { stream: { destroy(error: Error): void } }
    }
    if (readyForQuery) return
    if (this.#patience > 0) {
      this.#patience--
      this.#timer!.refresh()
      return
    }
    connection.stream.destroy(new Error(`Connection terminated: no answer within ${this.#mostMs} ms`))
  }
}
