/** What a column's `core_reference:<table>` may name. */
export const coreTables: ReadonlySet<string> = new Set([
  'students',
  'guardians',
  'employees',
  'subjects',
  'grades',
  'sections',
  'academic_years',
  'terms',
])
