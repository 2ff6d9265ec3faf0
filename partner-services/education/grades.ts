import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { smallInteger, text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** The years of schooling a school offers. */
export const grades: WritableResource = {
  name: 'education.grades',
  noun: ['grade', 'grades'],
  path: '/education/grades',
  table: 'grades',
  wrapper: 'grade',
  columns: sql`id, name, level`,
  record: z
    .object({
      id: ulid,
      name: z.string().meta({ example: 'الصف الأول' }),
      level: z.int().nullable().meta({ example: 1 }),
    })
    .meta({ id: 'Grade' }),
  fields: z.object({
    name: text().meta({ example: 'الصف الأول' }),
    level: smallInteger.nullable().optional(),
  }),
}
