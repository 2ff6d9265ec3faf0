import type { Operation } from '../../partner-services/service/operation.ts'

/** Which methods a path of the runtime API takes, for `Allow`. */
export type PathTable = { methodsOf(url: string): string[] | null }

export function createPathTable(operations: readonly Operation[]): PathTable {
  const paths = Map.groupBy(operations, ({ http }) => http.path)
  const patterns = [...paths].map(([path, own]) => ({
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/?]+')}/?(\\?|$)`),
    methods: own.flatMap(({ http }) => (http.method === 'GET' ? ['GET', 'HEAD'] : [http.method])),
  }))
  return { methodsOf: (url) => patterns.find(({ pattern }) => pattern.test(url))?.methods ?? null }
}
