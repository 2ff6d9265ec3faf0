import type { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'

/** What an operator's request holds, or a refusal that names every wrong field. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value ?? {})
  if (parsed.success) return parsed.data
  const errors: Record<string, string[]> = {}
  for (const { path, message } of parsed.error.issues) {
    const field = path.join('.') || 'body'
    errors[field] = [...(errors[field] ?? []), message]
  }
  throw new InvalidInputException(errors)
}
