/**
 * `TextEncoder` and `TextDecoder` as Node has them, for UTF-8 only: a label of another encoding is a RangeError. Sent into the
 * isolate as source text.
 */
export function makeTextCoders() {
  const { apply } = Reflect
  const { fromCharCode } = String
  /** Units of UTF-16 on their way into a text: a text that grows by single characters holds thirty bytes for each. */
  const units = new Uint16Array(8_192)
  let filled = 0

  /** Writes as many whole characters as there is room for. */
  const write = (text: string, bytes: Uint8Array) => {
    let read = 0
    let at = 0
    for (const character of text) {
      const code = character.codePointAt(0)!
      const more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3
      if (at + more >= bytes.length) break
      bytes[at++] = more === 0 ? code : ((0xf00 >> (more + 1)) & 0xff) | (code >> (6 * more))
      for (let left = more - 1; left >= 0; left--) bytes[at++] = 0x80 | ((code >> (6 * left)) & 63)
      read += character.length
    }
    return { read, written: at }
  }

  class TextEncoder {
    readonly encoding = 'utf-8'
    encode(input: unknown = ''): Uint8Array {
      const text = String(input).toWellFormed()
      const bytes = new Uint8Array(text.length * 3)
      return bytes.slice(0, write(text, bytes).written)
    }
    encodeInto(input: unknown, bytes: Uint8Array): { read: number; written: number } {
      if (!(bytes instanceof Uint8Array)) throw new TypeError('encodeInto writes into a Uint8Array')
      return write(String(input).toWellFormed(), bytes)
    }
  }

  /** The characters of bytes that come in parts: what is begun waits for the next part. */
  const makeReader = (fatal: boolean, withMark: boolean) => {
    let code = 0
    let needed = 0
    let lowest = 0x80
    let highest = 0xbf
    let started = withMark
    let text = ''
    const pour = () => {
      text += apply(fromCharCode, undefined, units.subarray(0, filled))
      filled = 0
    }
    const put = (point: number) => {
      if (started || point !== 0xfeff) {
        if (filled + 2 > units.length) pour()
        if (point > 0xffff) units[filled++] = 0xd7c0 + (point >> 10)
        units[filled++] = point > 0xffff ? 0xdc00 | (point & 0x3ff) : point
      }
      started = true
    }
    const refuse = () => {
      if (fatal) throw new TypeError('the bytes are not utf-8')
      put(0xfffd)
    }
    const begin = (byte: number) => {
      if (byte < 0x80) return put(byte)
      if (byte < 0xc2 || byte > 0xf4) return refuse()
      needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3
      code = byte & (0x3f >> needed)
      lowest = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
      highest = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
    }
    return (bytes: Uint8Array, last: boolean) => {
      text = ''
      // What a refusal left there is of another text.
      filled = 0
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at]!
        if (needed === 0) begin(byte)
        else if (byte < lowest || byte > highest) {
          needed = 0
          refuse()
          begin(byte)
        } else {
          code = (code << 6) | (byte & 63)
          lowest = 0x80
          highest = 0xbf
          if (--needed === 0) put(code)
        }
      }
      if (last && needed > 0) refuse()
      pour()
      return text
    }
  }

  class TextDecoder {
    readonly encoding = 'utf-8'
    readonly fatal: boolean
    readonly ignoreBOM: boolean
    #reader: ReturnType<typeof makeReader> | undefined
    constructor(label: unknown = 'utf-8', options?: { fatal?: boolean; ignoreBOM?: boolean } | null) {
      if (!/^[\t\n\f\r ]*(utf-?8|unicode-1-1-utf-8|unicode11utf8|(x-)?unicode20utf8)[\t\n\f\r ]*$/i.test(String(label)))
        throw new RangeError('only utf-8 is decoded here')
      this.fatal = Boolean(options?.fatal)
      this.ignoreBOM = Boolean(options?.ignoreBOM)
    }
    decode(input?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean } | null): string {
      const read = this.#reader ?? makeReader(this.fatal, this.ignoreBOM)
      this.#reader = undefined
      const text = read(bytesOf(input), !options?.stream)
      if (options?.stream) this.#reader = read
      return text
    }
  }
  const bytesOf = (input: unknown) => {
    if (input === undefined) return new Uint8Array()
    if (input instanceof ArrayBuffer) return new Uint8Array(input)
    if (!ArrayBuffer.isView(input)) throw new TypeError('only an ArrayBuffer or a view of one is decoded')
    return new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
  }
  return { TextEncoder, TextDecoder }
}
