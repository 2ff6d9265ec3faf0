import type { SandboxSchool } from './sandbox-school.ts'

const sizes = { students: 96, employees: 12 }

/** Part of the sandbox school that still fits together: for the sandbox tenant of one app. */
export function smallSchool(school: SandboxSchool): SandboxSchool {
  const students = school.students.slice(0, sizes.students)
  const wanted = new Set(students.map(({ guardian_id }) => guardian_id))
  return {
    ...school,
    students,
    guardians: school.guardians.filter(({ id }) => wanted.has(id)),
    employees: school.employees.slice(0, sizes.employees),
  }
}
