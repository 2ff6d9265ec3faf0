import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { email, phone, text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

const relation = z.enum(['father', 'mother', 'other'])

/** Whom the school calls about a student. */
export const guardians: WritableResource = {
  name: 'education.guardians',
  noun: ['guardian', 'guardians'],
  path: '/education/guardians',
  table: 'guardians',
  wrapper: 'guardian',
  columns: sql`id, full_name, phone, email, relation`,
  record: z
    .object({
      id: ulid,
      full_name: z.string().meta({ example: 'علي حسن' }),
      phone: z.string().meta({ description: 'E.164', example: '+966501234567' }),
      email: z.string().nullable().meta({ example: 'ali@example.org' }),
      relation: relation.nullable(),
    })
    .meta({ id: 'Guardian' }),
  fields: z.object({
    full_name: text().meta({ example: 'علي حسن' }),
    phone,
    email: email.nullable().optional(),
    relation: relation.nullable().optional(),
  }),
}
