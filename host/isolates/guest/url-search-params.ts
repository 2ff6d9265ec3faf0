/**
 * `URLSearchParams` as Node has them, and the two ways `URL` has into them: `attach` tells whom a change concerns, `refill`
 * tells them of a change. `percentDecode` reads `%XX` as bytes of UTF-8. Sent into the isolate as source text.
 */
export function makeSearchParams(percentDecode: (text: string) => string) {
  type Pair = [name: string, value: string]
  const textOf = (value: unknown) => `${value}`.toWellFormed()
  const encode = (text: string) =>
    encodeURIComponent(text)
      .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/%20/g, '+')
  const decode = (text: string) => percentDecode(text.replace(/\+/g, ' '))
  const readForm = (text: string) =>
    text.split('&').flatMap((part): Pair[] => {
      if (part === '') return []
      const [name = ''] = part.split('=', 1)
      return [[decode(name), decode(part.slice(name.length + 1))]]
    })
  const readPair = (given: unknown): Pair => {
    const pair = typeof given === 'object' && given !== null ? [...(given as Iterable<unknown>)] : []
    if (pair.length !== 2) throw new TypeError('each pair is a list of a name and a value')
    return [textOf(pair[0]), textOf(pair[1])]
  }
  const readInit = (init: unknown): Pair[] => {
    if ((typeof init !== 'object' && typeof init !== 'function') || init === null)
      return readForm(textOf(init).replace(/^\?/, ''))
    const listed = (init as Partial<Iterable<unknown>>)[Symbol.iterator]
    if (listed !== undefined && listed !== null) return [...(init as Iterable<unknown>)].map(readPair)
    return [...new Map(Object.entries(init).map(([name, value]): Pair => [textOf(name), textOf(value)]))]
  }

  let attach!: (params: URLSearchParams, changed: (query: string) => void) => void
  let refill!: (params: URLSearchParams, query: string) => void

  class URLSearchParams {
    #pairs: Pair[]
    #changed: ((query: string) => void) | undefined
    static {
      attach = (params, changed) => {
        params.#changed = changed
      }
      refill = (params, query) => {
        params.#pairs = readForm(query)
      }
    }
    constructor(init: unknown = '') {
      this.#pairs = readInit(init)
    }
    get size() {
      return this.#pairs.length
    }
    append(name: unknown, value: unknown) {
      this.#pairs.push([textOf(name), textOf(value)])
      this.#changed?.(this.toString())
    }
    delete(name: unknown, value?: unknown) {
      const is = this.#matcher(name, value)
      this.#pairs = this.#pairs.filter((pair) => !is(pair))
      this.#changed?.(this.toString())
    }
    get(name: unknown): string | null {
      return this.#pairs.find(this.#matcher(name))?.[1] ?? null
    }
    getAll(name: unknown): string[] {
      return this.#pairs.filter(this.#matcher(name)).map((pair) => pair[1])
    }
    has(name: unknown, value?: unknown): boolean {
      return this.#pairs.some(this.#matcher(name, value))
    }
    set(name: unknown, value: unknown) {
      const is = this.#matcher(name)
      const given: Pair = [textOf(name), textOf(value)]
      const first = this.#pairs.findIndex(is)
      this.#pairs = this.#pairs.filter((pair, at) => at <= first || !is(pair))
      this.#pairs[first === -1 ? this.#pairs.length : first] = given
      this.#changed?.(this.toString())
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
      this.#changed?.(this.toString())
    }
    forEach(visit: (value: string, name: string, params: URLSearchParams) => void, self?: unknown) {
      for (const [name, value] of this) visit.call(self, value, name, this)
    }
    /** Over the pairs as they then are: what is deleted meanwhile moves the others on. */
    *entries(): Generator<Pair, void> {
      for (let at = 0; at < this.#pairs.length; at++) yield [...this.#pairs[at]!]
    }
    *keys() {
      for (const pair of this) yield pair[0]
    }
    *values() {
      for (const pair of this) yield pair[1]
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString(): string {
      return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
    }
    get [Symbol.toStringTag]() {
      return 'URLSearchParams'
    }
    #matcher(name: unknown, value?: unknown) {
      const wanted = textOf(name)
      const exactly = value === undefined ? undefined : textOf(value)
      return (pair: Pair) => pair[0] === wanted && (exactly === undefined || pair[1] === exactly)
    }
  }
  return { URLSearchParams, attach, refill }
}
