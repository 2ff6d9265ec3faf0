import { insert } from '../../service/records.ts'
import { defineOperation } from '../../service/operation.ts'
import { type Student, studentColumns, studentFields, wrapped } from './student.ts'

/** Adds a student to the tenant. */
export const createStudent = defineOperation({
  name: 'education.students.create',
  scope: 'education.students.write',
  summary: 'Create a student',
  http: { method: 'POST', path: '/education/students' },
  input: studentFields,
  output: wrapped,
  status: 201,
  async handler({ db, input, caller, emit, ports }) {
    const student = await insert<Student>(db, 'students', { caller, ports, fields: input, columns: studentColumns })
    emit({ name: 'education.students.created', recordId: student.id, data: { student } })
    return { student }
  },
})
