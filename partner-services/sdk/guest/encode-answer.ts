import { JsonAnswer, NotFoundAnswer, RedirectAnswer, StatusAnswer } from '../answers.ts'
import { Html } from '../html.ts'
import { refuseLost } from '../json-values.ts'

/**
 * An answer as one text whose first character says what it is, so that the host need not parse it: `h<status>\n<html>`,
 * `j<status>\n<json>`, `r<path within the module>`, `n` for not found. Throws a TypeError for what JSON would lose.
 */
export function encodeAnswer(answer: unknown): string {
  if (answer instanceof Html) return `h200\n${answer}`
  if (answer instanceof StatusAnswer) return `h${answer.status}\n${answer.page}`
  if (answer instanceof RedirectAnswer) return `r${answer.path}`
  if (answer instanceof NotFoundAnswer) return 'n'
  if (answer instanceof JsonAnswer) return encodeJson(answer.value, answer.status)
  return encodeJson(answer, 200)
}

function encodeJson(value: unknown, status: number): string {
  refuseLost(value, 'the answer')
  return `j${status}\n${JSON.stringify(value) ?? 'null'}`
}
