import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { day, text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

const gender = z.enum(['male', 'female'])

/** A student as every answer shows it. */
const student = z
  .object({
    id: ulid,
    full_name: z.string().meta({ example: 'أحمد علي' }),
    national_id: z.string().nullable().meta({ description: 'Identity or residency number', example: '1098765432' }),
    birth_date: day.nullable(),
    gender: gender.nullable(),
    grade_id: ulid.nullable(),
    section_id: ulid.nullable(),
    guardian_id: ulid.nullable(),
  })
  .meta({ id: 'Student' })

export const students: WritableResource = {
  name: 'education.students',
  noun: ['student', 'students'],
  path: '/education/students',
  table: 'students',
  wrapper: 'student',
  columns: sql`id, full_name, national_id, birth_date, gender, grade_id, section_id, guardian_id`,
  record: student,
  fields: z.object({
    full_name: text().meta({ example: 'أحمد علي' }),
    national_id: text(64).nullable().optional().meta({ example: '1098765432' }),
    birth_date: day.nullable().optional(),
    gender: gender.nullable().optional(),
    grade_id: ulid.nullable().optional(),
    section_id: ulid.nullable().optional(),
    guardian_id: ulid.nullable().optional(),
  }),
  filters: ['grade_id', 'section_id'],
}
