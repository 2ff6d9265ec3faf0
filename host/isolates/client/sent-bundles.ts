import { encodeFrame, frameType } from '../wire/frames.ts'
import { createKeptBySize } from './kept-by-size.ts'

/** Code and, when there is one of ours, its code cache. */
export type LoadableBundle = { hash: string; code: string; cache: Uint8Array | undefined }

/** A runner keeps this much of a web process's bundles, so that the next installation of an app costs no transport. */
const keptBytes = 8 * 1_048_576

/** The bundles one runner holds for us, least recently used first; it forgets what it is told to. */
export function createSentBundles(send: (frame: Buffer) => void) {
  const sent = createKeptBySize<number>(keptBytes, (number) => send(encodeFrame(frameType.forget, 0, number)))
  let last = 0

  return {
    /** The number a load names this bundle by; sends it first if the runner does not hold it. */
    numberOf(bundle: LoadableBundle): number {
      const key = `${bundle.hash} ${bundle.cache ? 'cached' : ''}`
      const known = sent.get(key)
      if (known !== undefined) return known
      const body = bodyOf(bundle)
      const number = ++last
      sent.put(key, number, body.length)
      send(encodeFrame(frameType.bundle, 0, number, body))
      return number
    },
  }
}

function bodyOf({ code, cache }: LoadableBundle): Buffer {
  const text = Buffer.from(code)
  const size = Buffer.alloc(4)
  size.writeUInt32LE(text.length)
  return Buffer.concat(cache ? [size, text, cache] : [size, text])
}
