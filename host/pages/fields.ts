import { InvalidInputException, type Locale } from '../../partner-services/service/errors.ts'
import { fieldMessage } from '../../partner-services/service/messages.ts'

/** Fields by name: the last value of each, and all values of those that came more than once. */
export type ReadFields = { fields: Record<string, string>; repeated: Record<string, string[]> }

/**
 * A parsed form or query, or a JSON object that stands for one, as modules see it: texts alone, and a list where a name came
 * more than once. Of JSON a number is its text, and null is no field. Throws InvalidInputException, by field, for what no form
 * could send. `__proto__` is a name like any other.
 */
export function readFields(parsed: object, locale: Locale): ReadFields {
  const given = Object.entries(parsed).map(([name, value]) => [name, textsOf(value)] as const)
  const wrong = given.filter(([, texts]) => texts === null)
  if (wrong.length > 0)
    throw new InvalidInputException(Object.fromEntries(wrong.map(([name]) => [name, [fieldMessage('field', locale)]])))
  const sent = given.flatMap(([name, texts]) => (texts?.length ? [[name, texts] as const] : []))
  return {
    fields: Object.fromEntries(sent.map(([name, texts]) => [name, texts.at(-1)!])),
    repeated: Object.fromEntries(sent.filter(([, texts]) => texts.length > 1)),
  }
}

/** Null where one of the values is neither a text nor a number that its text says exactly. */
function textsOf(value: unknown): string[] | null {
  const values = [value].flat().filter((one) => one !== null)
  return values.every(isText) ? values.map(String) : null
}

const isText = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)
