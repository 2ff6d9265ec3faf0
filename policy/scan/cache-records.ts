import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * The file of a cache: records one after another, each `length | seal | key | bytes`. A run that changed one file adds one
 * record instead of writing ten megabytes. The seal is of the rules' version, the key and the bytes, so a record of another
 * version, a torn one and everything behind it count as absent.
 */
const sealLength = 16
const keyLength = 43
const headLength = 4 + sealLength + keyLength

export type Records = {
  readonly records: ReadonlyMap<string, Buffer> /** Nothing stands behind them. */
  readonly whole: boolean
}

export function readRecords(file: string, version: string): Records {
  const records = new Map<string, Buffer>()
  const all = readWhole(file)
  let start = 0
  while (start + headLength <= all.length) {
    const end = start + headLength + all.readUInt32LE(start)
    if (end > all.length) break
    const key = all.toString('latin1', start + 4 + sealLength, start + headLength)
    const bytes = all.subarray(start + headLength, end)
    if (all.toString('latin1', start + 4, start + 4 + sealLength) !== seal(version, key, bytes)) break
    records.set(key, bytes)
    start = end
  }
  return { records, whole: start === all.length }
}

export function writeRecord(version: string, key: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(headLength)
  head.writeUInt32LE(bytes.length)
  head.write(seal(version, key, bytes) + key, 4, 'latin1')
  return Buffer.concat([head, bytes])
}

function seal(version: string, key: string, bytes: Buffer): string {
  return hash('sha256', Buffer.concat([Buffer.from(version + key), bytes]), 'base64url').slice(0, sealLength)
}

function readWhole(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}
