/** `TextEncoder` and `TextDecoder` for UTF-8. Sent into the isolate as source text. */
export function makeTextCoders(): Record<string, unknown> {
  class TextEncoder {
    readonly encoding = 'utf-8'
    encode(input: unknown = ''): Uint8Array {
      const text = String(input).toWellFormed()
      const bytes = new Uint8Array(text.length * 3)
      let at = 0
      for (const character of text) {
        const code = character.codePointAt(0)!
        if (code < 0x80) bytes[at++] = code
        else if (code < 0x800) {
          bytes[at++] = 0xc0 | (code >> 6)
          bytes[at++] = 0x80 | (code & 63)
        } else if (code < 0x10000) {
          bytes[at++] = 0xe0 | (code >> 12)
          bytes[at++] = 0x80 | ((code >> 6) & 63)
          bytes[at++] = 0x80 | (code & 63)
        } else {
          bytes[at++] = 0xf0 | (code >> 18)
          bytes[at++] = 0x80 | ((code >> 12) & 63)
          bytes[at++] = 0x80 | ((code >> 6) & 63)
          bytes[at++] = 0x80 | (code & 63)
        }
      }
      return bytes.slice(0, at)
    }
  }

  class TextDecoder {
    readonly encoding = 'utf-8'
    readonly fatal: boolean
    constructor(label = 'utf-8', options: { fatal?: boolean } = {}) {
      if (!/^utf-?8$/i.test(String(label))) throw new RangeError('only utf-8 is decoded here')
      this.fatal = options.fatal === true
    }
    decode(input?: ArrayBuffer | ArrayBufferView): string {
      if (input === undefined) return ''
      const bytes = ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input)
      let text = ''
      let at = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
      while (at < bytes.length) {
        const first = bytes[at++]!
        const more =
          first < 0x80
            ? 0
            : first >= 0xc2 && first < 0xe0
              ? 1
              : first >= 0xe0 && first < 0xf0
                ? 2
                : first >= 0xf0 && first < 0xf5
                  ? 3
                  : -1
        let code = more === 0 ? first : first & (0x3f >> more)
        let taken = 0
        while (taken < more && ((bytes[at + taken] ?? 0) & 0xc0) === 0x80)
          code = (code << 6) | (bytes[at + taken++]! & 63)
        const smallest = more === 3 ? 0x10000 : more === 2 ? 0x800 : 0
        const wrong =
          more < 0 || taken < more || code < smallest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
        if (wrong && this.fatal) throw new TypeError('the bytes are not utf-8')
        text += wrong ? '\ufffd' : String.fromCodePoint(code)
        if (!wrong) at += taken
      }
      return text
    }
  }
  return { TextEncoder, TextDecoder }
}
