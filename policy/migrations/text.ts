/** UTF-8 and nothing else: the database, the guard and the reviewer must see the same characters. */
export type DecodedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: { rule: string; line: number; reason: string; mend: string } }

export function decodeText(bytes: Buffer): DecodedText {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) {
    return fault('encoding', 1, 'begins with a byte order mark', 'save the file as UTF-8 without BOM')
  }
  if (/^(\xff\xfe|\xfe\xff)/.test(bytes.toString('latin1', 0, 2))) {
    return fault('encoding', 1, 'is UTF-16', 'save the file as UTF-8 without BOM')
  }
  const nul = bytes.indexOf(0)
  if (nul !== -1) return fault('nul', lineOf(bytes, nul), 'holds a NUL byte', 'remove it')
  const invalid = firstInvalid(bytes)
  if (invalid !== undefined) {
    const byte = bytes[invalid]?.toString(16).padStart(2, '0')
    return fault('encoding', lineOf(bytes, invalid), `is not UTF-8 (byte 0x${byte})`, 'save the file as UTF-8')
  }
  return { ok: true, text: bytes.toString('utf8') }
}

function fault(rule: string, line: number, reason: string, mend: string): DecodedText {
  return { ok: false, fault: { rule, line, reason, mend } }
}

function firstInvalid(bytes: Buffer): number | undefined {
  if (decodes(bytes, false)) return undefined
  // The longest prefix that decodes as a stream ends where the first wrong byte stands.
  let good = 0
  let bad = bytes.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (decodes(bytes.subarray(0, middle), true)) good = middle
    else bad = middle
  }
  return bad - 1
}

function decodes(bytes: Buffer, stream: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
    return true
  } catch {
    return false
  }
}

function lineOf(bytes: Buffer, at: number): number {
  return bytes.subarray(0, at).filter((byte) => byte === 10).length + 1
}
