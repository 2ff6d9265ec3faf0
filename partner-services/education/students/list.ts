import { defineOperation } from '../../service/operation.ts'
import { listQuery, matching, pageOf, ulid } from '../../service/schemas.ts'
import { and, sql } from '../../service/sql.ts'
import { type Student, student, studentColumns } from './student.ts'

/** One page of the tenant's students, ordered by id. Arabic letter variants are folded in `search`. */
export const listStudents = defineOperation({
  name: 'education.students.list',
  scope: 'education.students.read',
  summary: 'List students',
  http: { method: 'GET', path: '/education/students' },
  input: listQuery.extend({ grade_id: ulid.optional(), section_id: ulid.optional() }),
  output: pageOf(student),
  handler({ db, input, caller }) {
    return db.page<Student>(input, {
      columns: studentColumns,
      from: sql`core.students`,
      where: sql`tenant_id = ${caller.tenant.id}${and(
        matching('students', caller.tenant.id, input.search),
        input.grade_id && sql`grade_id = ${input.grade_id}`,
        input.section_id && sql`section_id = ${input.section_id}`,
      )}`,
    })
  },
})
