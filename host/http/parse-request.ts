import type { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { fieldMessage, messagesByField, toldByField } from '../../partner-services/service/messages.ts'
import { isStorable } from '../../partner-services/service/schemas.ts'

/** What a request holds, or a refusal that names every wrong field. Texts may be such as PostgreSQL cannot store. */
export function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  throw new InvalidInputException(messagesByField(parsed.error, 'en'))
}

/** What an operator's or a partner's request holds, or a refusal that names every wrong field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const data = parseFields(schema, value)
  const broken = unstorableFields(data)
  if (broken.length === 0) return data
  const message = fieldMessage('storable', 'en')
  throw new InvalidInputException(
    toldByField(
      broken.map((field) => ({ field, message })),
      'en',
    ),
  )
}

/** Paths of all texts, and of all names, that PostgreSQL cannot store. */
function unstorableFields(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [path.join('.')]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    isStorable(name) ? unstorableFields(one, [...path, name]) : [path.join('.')],
  )
}
