import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** What is taught. */
export const subjects: WritableResource = {
  name: 'education.subjects',
  noun: ['subject', 'subjects'],
  path: '/education/subjects',
  table: 'subjects',
  wrapper: 'subject',
  columns: sql`id, name, code`,
  record: z
    .object({
      id: ulid,
      name: z.string().meta({ example: 'الرياضيات' }),
      code: z.string().nullable().meta({ example: 'MATH-1' }),
    })
    .meta({ id: 'Subject' }),
  fields: z.object({
    name: text().meta({ example: 'الرياضيات' }),
    code: text(64).nullable().optional().meta({ example: 'MATH-1' }),
  }),
}
