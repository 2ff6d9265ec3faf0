import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify'

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/**
 * A request's logger, made with its first line: most requests write none, and pino writes out and redacts the bindings of
 * every child, a fiftieth of what reading one record costs.
 */
export const requestLog: NonNullable<FastifyServerOptions['childLoggerFactory']> = (logger, bindings, options) =>
  new RequestLog(() => logger.child(bindings, options)) as unknown as FastifyBaseLogger

class RequestLog {
  readonly #make: () => FastifyBaseLogger
  #made: FastifyBaseLogger | undefined

  static {
    for (const level of levels) {
      const write = function (this: RequestLog, ...line: unknown[]) {
        const log = this.#log()
        Reflect.apply(log[level], log, line)
      }
      Object.defineProperty(RequestLog.prototype, level, { value: write })
    }
  }

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make
  }

  #log(): FastifyBaseLogger {
    this.#made ??= this.#make()
    return this.#made
  }
  get level() {
    return this.#log().level
  }
  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.#log().child(...of)
  }
}
