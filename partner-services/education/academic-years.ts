import { z } from 'zod'
import type { Resource } from '../service/resource.ts'
import { day, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** Read only: the write scope is in the catalog, but no route writes. Source: decisions.md, lists. */
export const academicYears: Resource = {
  name: 'education.academic_years',
  noun: ['academic year', 'academic years'],
  path: '/education/academic-years',
  table: 'academic_years',
  columns: sql`id, name, starts_on, ends_on`,
  record: z
    .object({ id: ulid, name: z.string().meta({ example: '2026/2027' }), starts_on: day, ends_on: day })
    .meta({ id: 'AcademicYear' }),
}
