import { SourceMap, type SourceMapPayload } from 'node:module'
import type { GuestBundle } from './types.ts'

const keptMaps = 32
const frame = /^(.*?)\(?partner:bundle:(\d+):(\d+)\)?$/

/**
 * Stacks in the partner's own files and lines. Lines of anything but the bundle are dropped: they are the runtime's. Maps
 * are parsed when first needed and a few of them kept.
 */
export function createStackMapper() {
  const maps = new Map<string, SourceMap | undefined>()

  const mapOf = async (hash: string, loadBundle: () => Promise<GuestBundle>): Promise<SourceMap | undefined> => {
    if (maps.has(hash)) return maps.get(hash)
    const bundle = await loadBundle().catch(() => undefined)
    const map = bundle && readSourceMap(bundle.sourceMap)
    const [oldest] = maps.keys()
    if (maps.size >= keptMaps && oldest !== undefined) maps.delete(oldest)
    maps.set(hash, map)
    return map
  }
  return async (stack: string, hash: string, loadBundle: () => Promise<GuestBundle>) =>
    mapStack(stack, await mapOf(hash, loadBundle))
}

/** The host's own bundler made the map; one that is broken all the same costs the mapping, not the answer. */
function readSourceMap(text: string | undefined): SourceMap | undefined {
  if (text === undefined) return undefined
  try {
    return new SourceMap(JSON.parse(text) as SourceMapPayload)
  } catch {
    return undefined
  }
}

export function mapStack(stack: string, map: SourceMap | undefined): string {
  const mapped: string[] = []
  let inFrames = false
  for (const line of stack.split('\n')) {
    const found = frame.exec(line)
    if (!found) {
      if (!inFrames && !/^\s*at /.test(line)) mapped.push(line)
      continue
    }
    inFrames = true
    const [, lead = '', row = '1', column = '1'] = found
    const origin = map?.findOrigin(Number(row), Number(column))
    const place =
      origin && 'fileName' in origin
        ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
        : `bundle:${row}:${column}`
    mapped.push(`${lead}(${place})`.replace(/at \((.*)\)$/, 'at $1'))
  }
  return mapped.join('\n')
}
