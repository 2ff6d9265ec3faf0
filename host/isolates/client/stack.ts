import { SourceMap, type SourceMapPayload } from 'node:module'
import type { GuestBundle } from './types.ts'

const keptMaps = 32
const frame = /^(.*?)\(?partner:bundle:(\d+):(\d+)\)?$/

/**
 * Stacks in the partner's own files and lines, by `mapText`. Maps are parsed when first needed and a few of them kept.
 */
export function createStackMapper(mapText: (text: string, map: SourceMap | undefined) => string = mapStack) {
  const maps = new Map<string, SourceMap | undefined>()

  const mapOf = async (hash: string, loadBundle: () => Promise<GuestBundle>): Promise<SourceMap | undefined> => {
    if (maps.has(hash)) return maps.get(hash)
    const bundle = await loadBundle().catch(() => undefined)
    // The next one asks again: the database may have been away.
    if (!bundle) return undefined
    const map = readSourceMap(bundle.sourceMap)
    const [oldest] = maps.keys()
    if (maps.size >= keptMaps && oldest !== undefined) maps.delete(oldest)
    maps.set(hash, map)
    return map
  }
  return async (stack: string, hash: string, loadBundle: () => Promise<GuestBundle>) =>
    mapText(stack, await mapOf(hash, loadBundle))
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

/** Lines of anything but the bundle are dropped: they are the runtime's. */
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
    mapped.push(`${lead}(${placeOf(map, row, column)})`.replace(/at \((.*)\)$/, 'at $1'))
  }
  return mapped.join('\n')
}

function placeOf(map: SourceMap | undefined, row: string, column: string): string {
  const origin = map?.findOrigin(Number(row), Number(column))
  return origin && 'fileName' in origin
    ? `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`
    : `bundle:${row}:${column}`
}

const places = /partner:bundle:(\d+):(\d+)/g
const ownFrame = /^\s+at .*\(?partner:bootstrap:\d+:\d+\)?$/
/** What a module writes costs the host no more look-ups than an honest stack needs. */
const maxPlaces = 16

/** Whether a text that a module logged names places of its bundle, as the stack of an error that it caught does. */
export const namesPlaces = (text: string): boolean => text.includes('partner:bundle:')

/** A logged text with the places in it in the partner's own files and lines, and without the runtime's frames. */
export function mapLogged(text: string, map: SourceMap | undefined): string {
  let left = maxPlaces
  return text
    .split('\n')
    .filter((line) => !ownFrame.test(line))
    .join('\n')
    .replace(places, (_, row: string, column: string) =>
      left-- > 0 ? placeOf(map, row, column) : `bundle:${row}:${column}`,
    )
}
