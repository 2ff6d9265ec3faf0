import type { CsvRow } from './csv-table.ts'
import { isAbsent, known } from './tables.ts'
import { listOf, type Reading } from './values.ts'

export const guardianRoles = new Set(['guardian', 'parent', 'relative'])

/** The guardians of each pupil, by sourcedId. Either's row may name the other: whom the pupil's own names comes first. */
export function guardiansOfPupils(reading: Reading): Map<string, string[]> {
  const users = known(reading, 'users.csv')
  const isGuardian = ({ fields }: CsvRow) => guardianRoles.has(fields.role!)
  const isPupil = ({ fields }: CsvRow) => fields.role === 'student'
  const found = new Map<string, string[]>()
  const add = (pupil: CsvRow, guardian: CsvRow) => {
    const { sourcedId } = pupil.fields
    found.set(sourcedId!, [...(found.get(sourcedId!) ?? []), guardian.fields.sourcedId!])
  }
  for (const [row, other] of agents(reading, users, isPupil)) if (isGuardian(other)) add(row, other)
  for (const [row, other] of agents(reading, users, isGuardian)) if (isPupil(other)) add(other, row)
  return found
}

/** The rows of a kind, each with those of the users that it names. */
function agents(reading: Reading, users: Map<string, CsvRow>, isOfKind: (row: CsvRow) => boolean): [CsvRow, CsvRow][] {
  const named: [CsvRow, CsvRow][] = []
  for (const row of users.values())
    for (const agent of isOfKind(row) ? listOf(row.fields.agentSourcedIds) : []) {
      const user = users.get(agent)
      if (user) named.push([row, user])
      else if (isAbsent(reading, 'users.csv', users, agent))
        reading.problems.add('users.csv', row.line, `no user ${agent} (agentSourcedIds)`)
    }
  return named
}
