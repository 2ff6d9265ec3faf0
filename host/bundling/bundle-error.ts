export type BundleErrorCode = 'compile_error' | 'no_module' | 'import_refused' | 'too_large'

/** A place in the module's folder. `line` counts from 1, `column` from 1. */
export type BundleFinding = { file: string; line: number; column: number; message: string }

/** Why a module could not be bundled, in the partner's own files and lines. */
export class BundleError extends Error {
  override name = 'BundleError'
  readonly code: BundleErrorCode
  readonly findings: BundleFinding[]
  constructor(code: BundleErrorCode, findings: BundleFinding[]) {
    super(findings.map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`).join('\n'))
    this.code = code
    this.findings = findings
  }
}
