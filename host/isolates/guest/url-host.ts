/**
 * Reads the host of a URL: a name, an IPv4 address in any of its forms, an IPv6 address, or what a scheme without rules of its
 * own says. `undefined` is a host that is none. Sent into the isolate as source text.
 */
export function makeHostReader(percentDecode: (text: string) => string) {
  const numberOf = (part: string): number => {
    const [, hex, octal, decimal] = /^(?:0x([0-9a-f]*)|0([0-7]*)|([1-9]\d*))$/i.exec(part) ?? []
    if (hex !== undefined) return hex === '' ? 0 : Number.parseInt(hex, 16)
    if (octal !== undefined) return octal === '' ? 0 : Number.parseInt(octal, 8)
    return Number(decimal)
  }
  const readIpv4 = (parts: string[]): string | undefined => {
    const numbers = parts.map(numberOf)
    const last = numbers.pop()!
    if (numbers.length > 3 || numbers.some((number) => !(number <= 255)) || !(last < 256 ** (4 - numbers.length)))
      return undefined
    const address = numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), last)
    return [24, 16, 8, 0].map((bits) => (address >>> bits) & 255).join('.')
  }
  const readIpv6 = (text: string): string | undefined => {
    const [, front, ...bytes] = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? []
    if (bytes.some((byte) => Number(byte) > 255 || /^0./.test(byte))) return undefined
    const pieceOf = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16)
    const plain =
      front === undefined ? text : `${front}${pieceOf(bytes[0]!, bytes[1]!)}:${pieceOf(bytes[2]!, bytes[3]!)}`
    const halves = plain.split('::').map((half) => (half === '' ? [] : half.split(':')))
    const given = halves.flat()
    const full = halves.length === 1 ? given.length === 8 : halves.length === 2 && given.length < 8
    if (!full || !given.every((piece) => /^[0-9a-f]{1,4}$/i.test(piece))) return undefined
    const zeros = Array.from({ length: 8 - given.length }, () => '0')
    const pieces = [...halves[0]!, ...zeros, ...(halves[1] ?? [])].map((piece) =>
      Number.parseInt(piece, 16).toString(16),
    )
    const runs = pieces.join(':').match(/\b0(?::0)+\b/g) ?? []
    const [longest] = runs.sort((a, b) => b.length - a.length)
    if (longest === undefined) return `[${pieces.join(':')}]`
    return `[${pieces.join(':').replace(new RegExp(`(^|:)${longest}(:|$)`), '::')}]`
  }
  return (host: string, special: boolean): string | undefined => {
    if (host.startsWith('[')) return host.endsWith(']') ? readIpv6(host.slice(1, -1)) : undefined
    if (!special) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(host)) return undefined
      return host.replace(/[^\x20-\x7e]+/g, encodeURIComponent)
    }
    const name = percentDecode(host).toLowerCase()
    if (!/^[\x21-\x7e]+$/.test(name) || /[#%/:<>?@[\\\]^|]/.test(name)) return undefined
    const parts = name.split('.')
    if (parts.length > 1 && parts.at(-1) === '') parts.pop()
    return /^(\d+|0x[0-9a-f]*)$/.test(parts.at(-1)!) ? readIpv4(parts) : name
  }
}
