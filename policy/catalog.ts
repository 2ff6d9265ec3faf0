/** What the policy needs to know of one scope; the platform's catalog carries more (labels, descriptions). */
export type ScopeFacts = {
  readonly key: string
  readonly action: 'read' | 'write' | 'send'
  readonly dangerous: boolean
  readonly publicSurface: boolean
  readonly publicWritable: boolean
  readonly active: boolean
}

/** One operation of the partner service layer: `education.students.list` is `services.education.students.list`. */
export type OperationFacts = {
  readonly name: string
  readonly scope: string | null
}

/** The features of the catalog: the first segment of its scope keys. No app may take one as its slug. */
export function featuresOf(catalog: readonly ScopeFacts[]): Set<string> {
  return new Set(catalog.map((scope) => scope.key.split('.')[0] ?? scope.key))
}
