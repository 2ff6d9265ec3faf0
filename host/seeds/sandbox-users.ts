import { createIds } from './random.ts'
import type { SandboxSchool } from './sandbox-school.ts'

export type SandboxUser = {
  id: string
  username: string
  person_type: 'employee' | 'student' | 'guardian' | 'supervisor'
  person_id: string | null
  display_name: string
  administrator: boolean
}

/** Twelve people of all kinds who can sign in: six employees of six roles, three students, two guardians, a supervisor. */
export function sandboxUsers({ employees, students, guardians }: SandboxSchool): SandboxUser[] {
  const id = createIds(11)
  const employee = (index: number): SandboxUser => ({
    id: id(),
    username: employees[index]!.roles[0]!,
    person_type: 'employee',
    person_id: employees[index]!.id,
    display_name: employees[index]!.full_name,
    administrator: index === 0,
  })
  const family = (
    kind: 'student' | 'guardian',
    person: { id: string; full_name: string },
    index: number,
  ): SandboxUser => ({
    id: id(),
    username: `${kind}${index + 1}`,
    person_type: kind,
    person_id: person.id,
    display_name: person.full_name,
    administrator: false,
  })
  return [
    ...[0, 1, 2, 3, 4, 5].map(employee),
    ...students.slice(0, 3).map((student, index) => family('student', student, index)),
    ...guardians.slice(0, 2).map((guardian, index) => family('guardian', guardian, index)),
    {
      id: id(),
      username: 'supervisor',
      person_type: 'supervisor',
      person_id: null,
      display_name: 'Platform supervisor',
      administrator: false,
    },
  ]
}
