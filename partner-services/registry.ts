import { createStudent } from './education/students/create.ts'
import { getStudent } from './education/students/get.ts'
import { listStudents } from './education/students/list.ts'
import { updateStudent } from './education/students/update.ts'
import { tenantClock } from './identity/tenant-clock.ts'
import { whoami } from './identity/whoami.ts'
import type { Operation } from './service/operation.ts'

/** Every operation of the partner service layer. A new capability is one new file and one line here. */
export const operations: readonly Operation[] = [
  whoami,
  tenantClock,
  listStudents,
  getStudent,
  createStudent,
  updateStudent,
]
