import { gzipSync } from 'node:zlib'

const blockSize = 512

/** A gzipped tar (ustar) of these files, by path. The same files give the same bytes: no time, no owner, one order. */
export function tarball(files: Record<string, string>): Buffer {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  const blocks = entries.flatMap(([path, text]) => {
    const content = Buffer.from(text)
    return [headerOf(path, content.length), content, Buffer.alloc(-content.length & (blockSize - 1))]
  })
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: 9 })
  packed[operatingSystem] = unknownSystem
  return packed
}

/** Where gzip notes the machine that packed. */
const operatingSystem = 9
const unknownSystem = 255

/** A regular file's. Numbers are octal; the checksum counts itself as spaces. */
function headerOf(path: string, size: number): Buffer {
  const header = Buffer.alloc(blockSize)
  const write = (text: string, at: number) => header.write(text, at, 'latin1')
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  if (!/^[\x21-\x7e]{1,100}$/.test(path)) throw new Error(`${path} does not fit into a tar's header`)
  write(path, 0)
  write(octal(0o644, 7), 100)
  write(octal(0, 7), 108)
  write(octal(0, 7), 116)
  write(octal(size, 11), 124)
  write(octal(0, 11), 136)
  write(' '.repeat(8), 148)
  write('0', 156)
  write('ustar\0', 257)
  write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  write(`${octal(sum, 6)}\0`, 148)
  return header
}
