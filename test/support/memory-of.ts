import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

const chunkSize = 4 * 1024 * 1024

/** Which of `texts` stand in what a process of ours has written into its memory. */
export function heldTexts(pid: number, texts: readonly string[]): string[] {
  const wanted = texts.map((text) => Buffer.from(text))
  const overlap = Math.max(...wanted.map(({ length }) => length))
  const held = new Set<string>()
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const chunk = Buffer.alloc(chunkSize)
  try {
    for (const [start, end] of writableRanges(pid))
      for (let at = start; at < end; at += chunkSize - overlap) {
        const read = readAt(memory, chunk, at, Math.min(chunkSize, end - at))
        for (const [index, text] of wanted.entries())
          if (chunk.subarray(0, read).includes(text)) held.add(texts[index]!)
      }
  } finally {
    closeSync(memory)
  }
  return [...held]
}

/** What was given back meanwhile cannot be read. */
function readAt(memory: number, chunk: Buffer, position: number, length: number): number {
  try {
    return readSync(memory, chunk, { position, length })
  } catch {
    return 0
  }
}

const writableRanges = (pid: number): [number, number][] =>
  readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => / rw.p /.test(line))
    .map((line) => {
      const [start, end] = line
        .split(' ', 1)[0]!
        .split('-')
        .map((hex) => Number.parseInt(hex, 16))
      return [start!, end!]
    })
