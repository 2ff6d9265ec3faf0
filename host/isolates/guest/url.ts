/**
 * `URL` and `URLSearchParams` for what modules need: absolute and relative references, parts, query. Hosts are ASCII
 * (write other scripts in their `xn--` form). Sent into the isolate as source text.
 */
export function makeGuestUrl(): Record<string, unknown> {
  const defaultPorts: Record<string, string> = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443' }
  const encodePart = (text: string, pattern: RegExp) =>
    text.toWellFormed().replace(pattern, (part) => encodeURIComponent(part))
  const encodeForm = (text: string) =>
    encodeURIComponent(text.toWellFormed())
      .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
      .replace(/%20/g, '+')
  const decodeForm = (text: string) => {
    const spaced = text.replace(/\+/g, ' ')
    try {
      return decodeURIComponent(spaced)
    } catch {
      return spaced
    }
  }

  class URLSearchParams {
    #pairs: [string, string][] = []
    #changed: (() => void) | undefined
    constructor(init: unknown = '', changed?: () => void) {
      this.#changed = changed
      if (typeof init === 'string') this.#read(init)
      else if (typeof init === 'object' && init !== null) {
        const pairs = Symbol.iterator in init ? [...(init as Iterable<[unknown, unknown]>)] : Object.entries(init)
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)])
      }
    }
    #read(text: string) {
      const query = text.startsWith('?') ? text.slice(1) : text
      for (const part of query.split('&')) {
        if (part === '') continue
        const equals = part.indexOf('=')
        const name = equals === -1 ? part : part.slice(0, equals)
        this.#pairs.push([decodeForm(name), equals === -1 ? '' : decodeForm(part.slice(equals + 1))])
      }
    }
    get size() {
      return this.#pairs.length
    }
    append(name: unknown, value: unknown) {
      this.#pairs.push([String(name), String(value)])
      this.#changed?.()
    }
    delete(name: unknown) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name))
      this.#changed?.()
    }
    get(name: unknown): string | null {
      return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null
    }
    getAll(name: unknown): string[] {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1])
    }
    has(name: unknown): boolean {
      return this.#pairs.some((pair) => pair[0] === String(name))
    }
    set(name: unknown, value: unknown) {
      const first = this.#pairs.findIndex((pair) => pair[0] === String(name))
      if (first === -1) return this.append(name, value)
      this.#pairs = this.#pairs.filter((pair, at) => at <= first || pair[0] !== String(name))
      this.#pairs[first] = [String(name), String(value)]
      this.#changed?.()
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
      this.#changed?.()
    }
    forEach(visit: (value: string, name: string) => void) {
      for (const [name, value] of this.#pairs) visit(value, name)
    }
    entries() {
      return this.#pairs.map((pair): [string, string] => [pair[0], pair[1]]).values()
    }
    keys() {
      return this.#pairs.map((pair) => pair[0]).values()
    }
    values() {
      return this.#pairs.map((pair) => pair[1]).values()
    }
    [Symbol.iterator]() {
      return this.entries()
    }
    toString() {
      return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&')
    }
  }

  const withoutDots = (path: string) => {
    const kept: string[] = []
    const parts = path.split('/').slice(1)
    parts.forEach((part, at) => {
      const last = at === parts.length - 1
      if (part === '..' || /^(\.|%2e)(\.|%2e)$/i.test(part)) {
        kept.pop()
        if (last) kept.push('')
      } else if (part === '.' || /^%2e$/i.test(part)) {
        if (last) kept.push('')
      } else kept.push(part)
    })
    return `/${kept.join('/')}`
  }
  const pathUnsafe = /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e%]+/g
  const queryUnsafe = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]+/g

  class URL {
    protocol = ''
    username = ''
    password = ''
    hostname = ''
    port = ''
    pathname = ''
    hash = ''
    #search = ''
    #params: URLSearchParams | undefined
    constructor(reference: unknown, base?: unknown) {
      const text = String(reference)
        .trim()
        .replace(/[\t\n\r]/g, '')
      const scheme = /^([a-z][a-z0-9+.-]*:)(.*)$/is.exec(text)
      if (scheme) this.#readAbsolute(scheme[1]!.toLowerCase(), scheme[2]!)
      else if (base !== undefined) this.#readRelative(text, new URL(base))
      else throw new TypeError(`Invalid URL: ${text.slice(0, 100)}`)
    }
    static canParse(reference: unknown, base?: unknown) {
      return URL.parse(reference, base) !== null
    }
    static parse(reference: unknown, base?: unknown) {
      try {
        return new URL(reference, base)
      } catch {
        return null
      }
    }
    #readAbsolute(protocol: string, rest: string) {
      this.protocol = protocol
      const special = protocol in defaultPorts
      const slashed = special ? rest.replace(/^[/\\]*/, '//').replace(/\\(?=[^?#]*)/g, '/') : rest
      if (!slashed.startsWith('//')) {
        this.#readTail(slashed, false)
        return
      }
      const authority = /^\/\/([^/?#]*)(.*)$/s.exec(slashed)!
      this.#readAuthority(authority[1]!, special)
      this.#readTail(authority[2]!, true)
    }
    #readAuthority(authority: string, special: boolean) {
      const at = authority.lastIndexOf('@')
      if (at !== -1) {
        const [username = '', ...password] = authority.slice(0, at).split(':')
        this.username = encodePart(username, /[^\w.!~*'()%-]+/g)
        this.password = encodePart(password.join(':'), /[^\w.!~*'()%-]+/g)
      }
      const host = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d*))?$/i.exec(authority.slice(at + 1))
      const hostname = host?.[1] ?? ''
      const port = host?.[2] ?? ''
      const badHost = !/^(\[[0-9a-f:.]+\]|[\w.~!$&'()*+,;=%-]*)$/i.test(hostname)
      if (!host || badHost || (special && hostname === '') || Number(port) > 65_535) throw new TypeError('Invalid URL')
      this.hostname = hostname.toLowerCase()
      this.port = port === '' || defaultPorts[this.protocol] === String(Number(port)) ? '' : String(Number(port))
    }
    #readTail(tail: string, rooted: boolean) {
      const [, path = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(tail)!
      const safe = encodePart(path, pathUnsafe)
      this.pathname = rooted ? withoutDots(safe.startsWith('/') ? safe : `/${safe}`) : safe
      this.search = search
      this.hash = hash === '#' ? '' : encodePart(hash, /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e%]+/g)
    }
    #readRelative(text: string, base: URL) {
      if (text.startsWith('//')) return this.#readAbsolute(base.protocol, text)
      this.protocol = base.protocol
      this.username = base.username
      this.password = base.password
      this.hostname = base.hostname
      this.port = base.port
      if (text === '' || text.startsWith('#')) this.#readTail(base.pathname + base.search + text, true)
      else if (text.startsWith('?')) this.#readTail(base.pathname + text, true)
      else if (text.startsWith('/')) this.#readTail(text, true)
      else this.#readTail(base.pathname.slice(0, base.pathname.lastIndexOf('/') + 1) + text, true)
    }
    get search() {
      return this.#search
    }
    set search(value: string) {
      const query = value.startsWith('?') ? value.slice(1) : value
      this.#search = query === '' ? '' : `?${encodePart(query, queryUnsafe)}`
      this.#params = undefined
    }
    get searchParams() {
      this.#params ??= new URLSearchParams(this.#search, () => {
        const query = String(this.#params)
        this.#search = query === '' ? '' : `?${query}`
      })
      return this.#params
    }
    get host() {
      return this.port === '' ? this.hostname : `${this.hostname}:${this.port}`
    }
    get origin() {
      return this.protocol in defaultPorts ? `${this.protocol}//${this.host}` : 'null'
    }
    get href() {
      const user = this.username === '' ? '' : `${this.username}${this.password === '' ? '' : `:${this.password}`}@`
      const authority = this.hostname === '' ? '' : `//${user}${this.host}`
      return `${this.protocol}${authority}${this.pathname}${this.#search}${this.hash}`
    }
    toString() {
      return this.href
    }
    toJSON() {
      return this.href
    }
  }
  return { URL, URLSearchParams }
}
