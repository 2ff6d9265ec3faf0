import { toldByField } from '../../partner-services/service/messages.ts'

/**
 * What is wrong with files that a request brought, or that it is about, as `errors` of a 422: each at its line. `total` counts
 * also what was not kept.
 */
export const errorsByFile = (
  wrong: readonly { file: string; line: number; message: string }[],
  total = wrong.length,
): Record<string, string[]> =>
  toldByField(
    wrong.map(({ file, line, message }) => ({ field: `files.${file}`, message: `line ${line}: ${message}` })),
    'en',
    total,
  )
