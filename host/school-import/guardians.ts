import type { CsvRow } from './csv-table.ts'
import { listOf } from './values.ts'

export const guardianRoles = new Set(['guardian', 'parent', 'relative'])

type Users = ReadonlyMap<string, CsvRow>

/** The guardians of each pupil, by sourcedId. Either's row may name the other: whom the pupil's own names comes first. */
export function guardiansOfPupils(users: Users): Map<string, string[]> {
  const isGuardian = ({ fields }: CsvRow) => guardianRoles.has(fields.role!)
  const isPupil = ({ fields }: CsvRow) => fields.role === 'student'
  const found = new Map<string, string[]>()
  const add = (pupil: CsvRow, guardian: CsvRow) => {
    const { sourcedId } = pupil.fields
    found.set(sourcedId!, [...(found.get(sourcedId!) ?? []), guardian.fields.sourcedId!])
  }
  for (const [row, other] of agents(users, isPupil)) if (isGuardian(other)) add(row, other)
  for (const [row, other] of agents(users, isGuardian)) if (isPupil(other)) add(other, row)
  return found
}

/** The rows of a kind, each with those of the users that it names. */
const agents = (users: Users, isOfKind: (row: CsvRow) => boolean): [CsvRow, CsvRow][] =>
  [...users.values()].filter(isOfKind).flatMap((row) =>
    listOf(row.fields.agentSourcedIds).flatMap((agent): [CsvRow, CsvRow][] => {
      const other = users.get(agent)
      return other ? [[row, other]] : []
    }),
  )
