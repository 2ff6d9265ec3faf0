import { InvalidInputException, type Locale } from '../../partner-services/service/errors.ts'
import { fieldMessage } from '../../partner-services/service/messages.ts'
import { isStorable } from '../../partner-services/service/schemas.ts'

/** Fields by name: the last value of each, and all values of those that came more than once. */
export type ReadFields = { fields: Record<string, string>; repeated: Record<string, string[]> }

/**
 * A parsed form or query, or a JSON object that stands for one, as modules see it: texts alone, and a list where a name came
 * more than once. Of JSON a number is its text, and null is no field. Throws InvalidInputException, by field, for what no form
 * could send and what no table could hold. `__proto__` is a name like any other.
 */
export function readFields(parsed: object, locale: Locale): ReadFields {
  const given = Object.entries(parsed).map(([name, value]) => [name, [value].flat().filter(isSent)] as const)
  const wrong = given.flatMap(([name, values]): [string, string[]][] => {
    const problem = problemOf(values)
    return problem ? [[name, [fieldMessage(problem, locale)]]] : []
  })
  if (wrong.length > 0) throw new InvalidInputException(Object.fromEntries(wrong))
  const sent = given.flatMap(([name, values]) => (values.length > 0 ? [[name, values.map(String)] as const] : []))
  return {
    fields: Object.fromEntries(sent.map(([name, texts]) => [name, texts.at(-1)!])),
    repeated: Object.fromEntries(sent.filter(([, texts]) => texts.length > 1)),
  }
}

const isSent = (value: unknown): boolean => value !== null

function problemOf(values: readonly unknown[]): 'field' | 'storable' | null {
  if (!values.every(isText)) return 'field'
  return values.every((value) => isStorable(String(value))) ? null : 'storable'
}

/** A number that its text would not say exactly is none. */
const isText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
