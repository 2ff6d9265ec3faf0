import type { OperationFacts, ScopeFacts } from '../../../policy/catalog.ts'

const publicSurface = new Set(['countries.directory.read', 'countries.education_levels.read', 'education.grades.read'])

function scope(key: string, more: Partial<ScopeFacts> = {}): ScopeFacts {
  const action = key.split('.').at(-1) as ScopeFacts['action']
  return {
    key,
    action,
    dangerous: false,
    publicSurface: publicSurface.has(key),
    publicWritable: false,
    active: true,
    ...more,
  }
}

/** Scopes of the specification, as the platform's catalog gives them. */
export const catalog: readonly ScopeFacts[] = [
  ...['students', 'guardians', 'subjects', 'grades', 'sections'].flatMap((name) => [
    scope(`education.${name}.read`),
    scope(`education.${name}.write`),
  ]),
  ...['academic_years', 'terms', 'curriculum'].map((name) => scope(`education.${name}.read`)),
  scope('education.face_embeddings.read', { dangerous: true }),
  scope('employees.directory.read'),
  scope('employees.directory.write'),
  scope('countries.directory.read'),
  scope('countries.education_levels.read'),
  scope('contacts.enquiries.read'),
  scope('contacts.enquiries.write', { publicWritable: true }),
  scope('notifications.providers.send'),
  scope('notifications.logs.read'),
  scope('realtime.messages.write'),
  scope('reports.builder.read'),
  scope('education.retired.read', { active: false }),
]

const resources = [
  'education.students',
  'education.guardians',
  'education.subjects',
  'education.grades',
  'education.sections',
  'employees.directory',
]

export const operations: readonly OperationFacts[] = [
  ...resources.flatMap((name) => [
    { name: `${name}.list`, scope: `${name}.read` },
    { name: `${name}.get`, scope: `${name}.read` },
    { name: `${name}.create`, scope: `${name}.write` },
    { name: `${name}.update`, scope: `${name}.write` },
  ]),
  { name: 'contacts.enquiries.create', scope: 'contacts.enquiries.write' },
  { name: 'tenant.clock', scope: null },
]
