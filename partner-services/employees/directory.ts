import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { email, text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** The employee directory. Roles of an employee are the school's own affair: apps neither see nor change them here. */
export const employees: WritableResource = {
  name: 'employees.directory',
  noun: ['employee', 'employees'],
  path: '/employees/directory',
  table: 'employees',
  wrapper: 'employee',
  columns: sql`id, full_name, job_title, email`,
  record: z
    .object({
      id: ulid,
      full_name: z.string().meta({ example: 'سارة محمد' }),
      job_title: z.string().nullable().meta({ example: 'معلمة' }),
      email: z.string().nullable().meta({ example: 'sara@example.org' }),
    })
    .meta({ id: 'Employee' }),
  fields: z.object({
    full_name: text().meta({ example: 'سارة محمد' }),
    job_title: text().nullable().optional().meta({ example: 'معلمة' }),
    email: email.nullable().optional(),
  }),
}
