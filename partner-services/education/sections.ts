import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** The classes of a grade. */
export const sections: WritableResource = {
  name: 'education.sections',
  noun: ['section', 'sections'],
  path: '/education/sections',
  table: 'sections',
  wrapper: 'section',
  columns: sql`id, name, grade_id`,
  record: z
    .object({ id: ulid, name: z.string().meta({ example: 'أ' }), grade_id: ulid.nullable() })
    .meta({ id: 'Section' }),
  fields: z.object({ name: text().meta({ example: 'أ' }), grade_id: ulid.nullable().optional() }),
  filters: ['grade_id'],
}
