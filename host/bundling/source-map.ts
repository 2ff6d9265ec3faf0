import { sdkFolder } from './sdk-imports.ts'

type Map = { sources: string[]; sourcesContent?: (string | null)[] }

/** The map with names that are the same on every machine: the partner's own files, the SDK's, `node_modules/…`. */
export function portableSourceMap(text: string, root: string): string {
  const map = JSON.parse(text) as Map
  map.sources = map.sources.map((source) => portableName(source, root))
  return JSON.stringify(map)
}

function portableName(source: string, root: string): string {
  if (source.startsWith(`${sdkFolder}:`)) return `${sdkFolder}/${source.slice(sdkFolder.length + 1)}`
  const packaged = source.lastIndexOf('node_modules/')
  if (packaged !== -1) return source.slice(packaged)
  return source.startsWith(root) ? source.slice(root.length + 1) : source.replace(/^(\.\.\/)+/, '')
}
