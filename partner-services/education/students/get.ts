import { z } from 'zod'
import { NotFoundException } from '../../service/errors.ts'
import { defineOperation } from '../../service/operation.ts'
import { recordId } from '../../service/schemas.ts'
import { sql } from '../../service/sql.ts'
import { type Student, studentColumns, wrapped } from './student.ts'

/** One student. Another tenant's id answers like an absent one. */
export const getStudent = defineOperation({
  name: 'education.students.get',
  scope: 'education.students.read',
  summary: 'Get a student',
  http: { method: 'GET', path: '/education/students/{id}' },
  input: z.object({ id: recordId }),
  output: wrapped,
  async handler({ db, input, caller }) {
    const student = await db.row<Student>(
      sql`select ${studentColumns} from core.students where tenant_id = ${caller.tenant.id} and id = ${input.id}`,
    )
    if (!student) throw new NotFoundException()
    return { student }
  },
})
