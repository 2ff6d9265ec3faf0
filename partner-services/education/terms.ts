import { z } from 'zod'
import type { Resource } from '../service/resource.ts'
import { ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** Read only, like academic years. */
export const terms: Resource = {
  name: 'education.terms',
  noun: ['term', 'terms'],
  path: '/education/terms',
  table: 'terms',
  columns: sql`id, name, academic_year_id`,
  record: z
    .object({ id: ulid, name: z.string().meta({ example: 'الفصل الأول' }), academic_year_id: ulid })
    .meta({ id: 'Term' }),
}
