import type { makeTextCoders } from './text-coders.ts'
import type { makeHostReader } from './url-host.ts'
import type { makeSearchParams } from './url-search-params.ts'

/**
 * `URL` and `URLSearchParams` as Node has them, but for this: hosts are ASCII (others are refused: write them in their `xn--`
 * form, which is not checked); `file:` is a scheme without rules of its own, so without drives or `localhost`; a `blob:` URL has
 * the origin `null`, and nothing makes one of an object; errors carry no `code`; what is called with too few arguments takes
 * `undefined` for them; letters that stand beside `%XX` in a query stay whole, where Node spoils them. Sent into the isolate as
 * source text.
 */
export function makeGuestUrl(parts: {
  makeTextCoders: typeof makeTextCoders
  makeHostReader: typeof makeHostReader
  makeSearchParams: typeof makeSearchParams
}): Record<string, unknown> {
  const { TextDecoder } = parts.makeTextCoders()
  const percentDecode = (text: string) =>
    text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      const bytes = run.match(/[^%]{2}/g)!.map((byte) => Number.parseInt(byte, 16))
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
    })
  const readHost = parts.makeHostReader(percentDecode)
  const { URLSearchParams, attach, refill } = parts.makeSearchParams(percentDecode)

  /** As the URL standard has it: `host` is missing in `mailto:a`, whose path is one text; `path` else begins with a slash, or is empty. */
  type Parsed = {
    scheme: string
    username: string
    password: string
    host: string | undefined
    port: string
    path: string
    opaque: boolean
    query: string | undefined
    fragment: string | undefined
  }
  const defaultPorts = new Map([
    ['http:', '80'],
    ['https:', '443'],
    ['ws:', '80'],
    ['wss:', '443'],
  ])
  const isSpecial = ({ scheme }: Parsed) => defaultPorts.has(scheme)

  /** The characters that stay as they are. */
  const inUserinfo = /[^\w!$%&'()*+,.~-]+/g
  const inPath = /[^\x21\x24-\x3b\x3d\x40-\x5d\x5f\x61-\x7a\x7c\x7e%]+/g
  const inOpaque = /[^\x20-\x7e]+/g
  const inQuery = /[^\x21\x24-\x3b\x3d\x3f-\x7e]+/g
  const inSpecialQuery = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e]+/g
  const inFragment = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e]+/g
  const encode = (text: string, unsafe: RegExp) =>
    text.replace(unsafe, (part) => encodeURIComponent(part).replaceAll("'", '%27'))

  const textOf = (value: unknown) => `${value}`.toWellFormed()
  const withoutBreaks = (value: unknown) => textOf(value).replace(/[\t\n\r]/g, '')
  /** A pattern of its end would look from each of many spaces anew. */
  const withoutEnds = (text: string) => {
    let end = text.length
    while (end > 0 && text.charCodeAt(end - 1) <= 0x20) end--
    return text.slice(0, end).replace(/^[\0-\x20]+/, '')
  }
  const invalid = (reference: string) => new TypeError(`Invalid URL: ${reference.slice(0, 100)}`)

  const readPath = (url: Parsed, text: string, folder = '') => {
    const slashed = isSpecial(url) ? text.replaceAll('\\', '/') : text
    const kept = folder.split('/').slice(1)
    const given = slashed.replace(/^\//, '').split('/')
    given.forEach((part, at) => {
      const dots = part.replace(/%2e/gi, '.')
      if (dots === '..') kept.pop()
      if (dots !== '.' && dots !== '..') kept.push(encode(part, inPath))
      else if (at === given.length - 1) kept.push('')
    })
    url.path = `/${kept.join('/')}`
  }
  const readQuery = (url: Parsed, text: string) => {
    url.query = encode(text, isSpecial(url) ? inSpecialQuery : inQuery)
  }
  const readFragment = (url: Parsed, text: string) => {
    url.fragment = encode(text, inFragment)
  }
  const setPort = (url: Parsed, digits: string): boolean => {
    if (Number(digits) > 65_535) return false
    const port = digits === '' ? '' : String(Number(digits))
    url.port = defaultPorts.get(url.scheme) === port ? '' : port
    return true
  }
  const splitHost = (text: string) =>
    /^((?:[^:[]|\[[^\]]*(?:\]|$))*)(?::(.*))?$/s.exec(text) as unknown as [string, string, string | undefined]

  const readAuthority = (url: Parsed, authority: string): boolean => {
    const at = authority.lastIndexOf('@')
    if (at !== -1) {
      const [username = ''] = authority.slice(0, at).split(':', 1)
      url.username = encode(username, inUserinfo)
      url.password = encode(authority.slice(username.length + 1, Math.max(at, username.length + 1)), inUserinfo)
    }
    const [, host, port = ''] = splitHost(authority.slice(at + 1))
    if (host === '' && (isSpecial(url) || at !== -1 || port !== '' || authority.endsWith(':'))) return false
    url.host = host === '' ? '' : readHost(host, isSpecial(url))
    return url.host !== undefined && /^\d*$/.test(port) && setPort(url, port)
  }
  /** What follows the scheme and two slashes. */
  const readAfterSlashes = (url: Parsed, text: string): boolean => {
    const special = isSpecial(url)
    const rest = special ? text.replace(/^[/\\]+/, '') : text
    const [authority = ''] = (special ? /^[^/\\?#]*/ : /^[^/?#]*/).exec(rest)!
    if (!readAuthority(url, authority)) return false
    readTail(url, rest.slice(authority.length), '')
    return true
  }
  const readTail = (url: Parsed, tail: string, folder: string) => {
    const [, path, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(tail)!
    if (path === '') url.path ||= isSpecial(url) ? '/' : ''
    else if (url.opaque) url.path = encode(path === tail ? path : path!.replace(/ $/, '%20'), inOpaque)
    else readPath(url, path!, folder)
    if (query !== undefined) readQuery(url, query)
    if (fragment !== undefined) readFragment(url, fragment)
  }
  const readRelative = (url: Parsed, text: string, base: Parsed): boolean => {
    const slashes = (isSpecial(url) ? /^[/\\]*/ : /^\/*/).exec(text)![0].length
    if (slashes >= 2) return readAfterSlashes(url, text.slice(2))
    Object.assign(url, base, { fragment: undefined })
    if (text !== '' && !text.startsWith('#')) url.query = undefined
    readTail(url, text, slashes === 1 ? '' : base.path.slice(0, Math.max(0, base.path.lastIndexOf('/'))))
    return true
  }
  const newUrl = (scheme: string): Parsed => ({
    scheme,
    username: '',
    password: '',
    host: undefined,
    port: '',
    path: '',
    opaque: false,
    query: undefined,
    fragment: undefined,
  })
  const read = (reference: unknown, base: Parsed | undefined): Parsed => {
    const text = withoutBreaks(withoutEnds(textOf(reference)))
    const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*:)(.*)$/is.exec(text) ?? []
    const url = newUrl(scheme?.toLowerCase() ?? base?.scheme ?? '')
    if (!readInto(url, scheme === undefined ? undefined : rest, text, base)) throw invalid(text)
    return url
  }
  const readInto = (url: Parsed, rest: string | undefined, text: string, base: Parsed | undefined): boolean => {
    if (rest === undefined) {
      if (!base || (base.opaque && !text.startsWith('#'))) return false
      return readRelative(url, text, base)
    }
    if (isSpecial(url)) return base?.scheme === url.scheme ? readRelative(url, rest, base) : readAfterSlashes(url, rest)
    if (rest.startsWith('//')) return readAfterSlashes(url, rest.slice(2))
    url.opaque = !rest.startsWith('/')
    readTail(url, rest, '')
    return true
  }

  class URL {
    #url: Parsed
    #params: InstanceType<typeof URLSearchParams> | undefined
    constructor(reference: unknown, base?: unknown) {
      this.#url = read(reference, base === undefined ? undefined : read(base, undefined))
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
    get href() {
      const { scheme, username, password, host, path, opaque, query, fragment } = this.#url
      const user = username === '' && password === '' ? '' : `${username}${password === '' ? '' : `:${password}`}@`
      const authority = host === undefined ? (!opaque && path.startsWith('//') ? '/.' : '') : `//${user}${this.host}`
      const search = query === undefined ? '' : `?${query}`
      return `${scheme}${authority}${path}${search}${fragment === undefined ? '' : `#${fragment}`}`
    }
    set href(value) {
      this.#url = read(value, undefined)
      this.#refill()
    }
    get origin() {
      return isSpecial(this.#url) ? `${this.#url.scheme}//${this.host}` : 'null'
    }
    get protocol() {
      return this.#url.scheme
    }
    set protocol(value) {
      const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(`${withoutBreaks(value)}:`) ?? []
      if (scheme === undefined || defaultPorts.has(scheme.toLowerCase()) !== isSpecial(this.#url)) return
      this.#url.scheme = scheme.toLowerCase()
      setPort(this.#url, this.#url.port)
    }
    get username() {
      return this.#url.username
    }
    set username(value) {
      if (this.#url.host) this.#url.username = encode(textOf(value), inUserinfo)
    }
    get password() {
      return this.#url.password
    }
    set password(value) {
      if (this.#url.host) this.#url.password = encode(textOf(value), inUserinfo)
    }
    get host() {
      return `${this.hostname}${this.port === '' ? '' : `:${this.port}`}`
    }
    set host(value) {
      this.#setHost(value, true)
    }
    get hostname() {
      return this.#url.host ?? ''
    }
    set hostname(value) {
      this.#setHost(value, false)
    }
    #setHost(value: unknown, withPort: boolean) {
      const url = this.#url
      if (url.opaque) return
      const [text] = (isSpecial(url) ? /^[^/\\?#]*/ : /^[^/?#]*/).exec(withoutBreaks(value))!
      const [, host, port] = splitHost(text)
      const bare = isSpecial(url) || port !== undefined || url.username !== '' || url.password !== '' || url.port !== ''
      if ((host === '' && bare) || (port !== undefined && !withPort)) return
      const read = host === '' ? '' : readHost(host, isSpecial(url))
      if (read === undefined) return
      url.host = read
      const [digits = ''] = /^\d*/.exec(port ?? '')!
      if (digits !== '') setPort(url, digits)
    }
    get port() {
      return this.#url.port
    }
    set port(value) {
      const text = withoutBreaks(value)
      if (this.#url.host && (text === '' || /^\d/.test(text))) setPort(this.#url, /^\d*/.exec(text)![0])
    }
    get pathname() {
      return this.#url.path
    }
    set pathname(value) {
      const text = withoutBreaks(value)
      if (this.#url.opaque) return
      if (text === '' && !isSpecial(this.#url) && this.#url.host !== undefined) this.#url.path = ''
      else readPath(this.#url, text)
    }
    get search() {
      return this.#url.query ? `?${this.#url.query}` : ''
    }
    set search(value) {
      const text = textOf(value)
      if (text === '') this.#url.query = undefined
      else readQuery(this.#url, withoutBreaks(text.replace(/^\?/, '')))
      this.#refill()
    }
    get searchParams() {
      if (!this.#params) {
        this.#params = new URLSearchParams()
        this.#refill()
        attach(this.#params, (query) => {
          this.#url.query = query === '' ? undefined : query
        })
      }
      return this.#params
    }
    #refill() {
      if (this.#params) refill(this.#params, this.#url.query ?? '')
    }
    get hash() {
      return this.#url.fragment ? `#${this.#url.fragment}` : ''
    }
    set hash(value) {
      const text = textOf(value)
      if (text === '') this.#url.fragment = undefined
      else readFragment(this.#url, withoutBreaks(text.replace(/^#/, '')))
    }
    toString() {
      return this.href
    }
    toJSON() {
      return this.href
    }
    get [Symbol.toStringTag]() {
      return 'URL'
    }
  }
  return { URL, URLSearchParams }
}
