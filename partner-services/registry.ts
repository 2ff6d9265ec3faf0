import { enquiries } from './contacts/enquiries.ts'
import { listCountries } from './countries/directory.ts'
import { listEducationLevels } from './countries/education-levels.ts'
import { academicYears } from './education/academic-years.ts'
import { getCurriculum } from './education/curriculum/get.ts'
import { resolveSession } from './education/curriculum/session.ts'
import { listFaceEmbeddings } from './education/face-embeddings.ts'
import { grades } from './education/grades.ts'
import { guardians } from './education/guardians.ts'
import { sections } from './education/sections.ts'
import { students } from './education/students.ts'
import { subjects } from './education/subjects.ts'
import { terms } from './education/terms.ts'
import { employees } from './employees/directory.ts'
import { tenantClock } from './identity/tenant-clock.ts'
import { whoami } from './identity/whoami.ts'
import type { Operation } from './service/operation.ts'
import { createOperation, listOperation, resourceOperations } from './service/resource.ts'

/** Every operation of the partner service layer. A new capability is one new file and one line here. */
export const operations: readonly Operation[] = [
  whoami,
  tenantClock,
  ...resourceOperations(students),
  ...resourceOperations(guardians),
  ...resourceOperations(subjects),
  ...resourceOperations(grades),
  ...resourceOperations(sections),
  listOperation(academicYears),
  listOperation(terms),
  listFaceEmbeddings,
  getCurriculum,
  resolveSession,
  ...resourceOperations(employees),
  listCountries,
  listEducationLevels,
  listOperation(enquiries),
  createOperation(enquiries),
]
