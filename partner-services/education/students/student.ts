import { z } from 'zod'
import { day, text, ulid } from '../../service/schemas.ts'
import { sql } from '../../service/sql.ts'

/** A student as every answer shows it. */
export const student = z
  .object({
    id: ulid,
    full_name: z.string(),
    national_id: z.string().nullable(),
    birth_date: day.nullable(),
    gender: z.enum(['male', 'female']).nullable(),
    grade_id: ulid.nullable(),
    section_id: ulid.nullable(),
    guardian_id: ulid.nullable(),
  })
  .meta({ id: 'Student' })

export type Student = z.input<typeof student>

/** What can be written. `full_name` is required on create. */
export const studentFields = z.object({
  full_name: text(),
  national_id: text(64).nullable().optional(),
  birth_date: day.nullable().optional(),
  gender: z.enum(['male', 'female']).nullable().optional(),
  grade_id: ulid.nullable().optional(),
  section_id: ulid.nullable().optional(),
  guardian_id: ulid.nullable().optional(),
})

export const studentColumns = sql`id, full_name, national_id, birth_date, gender, grade_id, section_id, guardian_id`

export const wrapped = z.object({ student })
