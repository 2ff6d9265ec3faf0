import type { Html } from './html.ts'

/** What a route may answer with besides plain values. Made by `html`, `json`, `redirect`, `notFound` and `withStatus`. */
export type Answer = Html | JsonAnswer | RedirectAnswer | NotFoundAnswer | StatusAnswer

export class JsonAnswer {
  readonly value: unknown
  readonly status: number
  constructor(value: unknown, status: number) {
    this.value = value
    this.status = status
  }
}

export class RedirectAnswer {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

export class NotFoundAnswer {
  readonly status = 404
}

export class StatusAnswer {
  readonly status: number
  readonly page: Html
  constructor(status: number, page: Html) {
    this.status = status
    this.page = page
  }
}

/**
 * Answers with JSON. `status` is 200 unless given. What JSON would lose, such as NaN, a Map or a promise that nobody awaited,
 * is a TypeError in the module's log; `undefined` fields are left out.
 */
export function json(value: unknown, status = 200): JsonAnswer {
  return new JsonAnswer(value, checkedStatus(status))
}

/**
 * Sends the browser to another page of this module: `redirect('/loans')`, without `/m/<slug>`. Other addresses are refused,
 * and so is a blank: a value in a query is written by `encodeURIComponent`.
 */
export function redirect(path: string): RedirectAnswer {
  const within = /^\/(?![/\\])[^\\]*$/.test(path) && !/(^|\/)\.\.?(\/|$)/.test(path.split(/[?#]/, 1)[0]!)
  if (!within) throw new TypeError('redirect takes a path within the module, for example "/loans"')
  if (/\s/.test(path))
    throw new TypeError('redirect takes a path without blanks: write the values of its query by encodeURIComponent')
  return new RedirectAnswer(path)
}

/** Answers that there is no such page, or no such record. */
export function notFound(): NotFoundAnswer {
  return new NotFoundAnswer()
}

/** A page with a status of its own, for example a form with its errors: `withStatus(422, html`…`)`. */
export function withStatus(status: number, page: Html): StatusAnswer {
  return new StatusAnswer(checkedStatus(status), page)
}

function checkedStatus(status: number): number {
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new RangeError('a status is from 200 to 599')
  return status
}
