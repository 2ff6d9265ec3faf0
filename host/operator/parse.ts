import type { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { messagesByField } from '../../partner-services/service/messages.ts'

/** What an operator's request holds, or a refusal that names every wrong field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  throw new InvalidInputException(messagesByField(parsed.error, 'en'))
}
