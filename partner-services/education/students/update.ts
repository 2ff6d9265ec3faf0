import { defineOperation } from '../../service/operation.ts'
import { update } from '../../service/records.ts'
import { recordId } from '../../service/schemas.ts'
import { type Student, studentColumns, studentFields, wrapped } from './student.ts'

/** Changes the given fields of a student; fields that are absent stay. */
export const updateStudent = defineOperation({
  name: 'education.students.update',
  scope: 'education.students.write',
  summary: 'Update a student',
  http: { method: 'PATCH', path: '/education/students/{id}' },
  input: studentFields.partial().extend({ id: recordId }),
  output: wrapped,
  async handler({ db, input: { id, ...fields }, caller, emit }) {
    const student = await update<Student>(db, 'students', { caller, id, fields, columns: studentColumns })
    emit({ name: 'education.students.updated', recordId: student.id, data: { student } })
    return { student }
  },
})
