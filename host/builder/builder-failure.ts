export type BuilderFailureCode = 'timeout' | 'memory' | 'died' | 'failed' | 'closed'

const words: Record<BuilderFailureCode, string> = {
  timeout: 'it took too long to read',
  memory: 'it took too much memory to read',
  died: 'reading it ended its process',
  failed: 'it could not be read',
  closed: 'the builder was closed',
}

/** The builder could not do its job with this module: a refusal of the module, never an error of the publisher. */
export class BuilderFailure extends Error {
  override name = 'BuilderFailure'
  readonly code: BuilderFailureCode
  constructor(code: BuilderFailureCode, detail: string) {
    super(detail === '' ? words[code] : `${words[code]} (${detail})`)
    this.code = code
  }
}
