import type { Random } from '../../host/seeds/random.ts'
import { nameOf } from './texts.ts'

export type Fields = Record<string, unknown>
export type Rec = Fields & { id: string }
export const kinds = ['students', 'guardians', 'employees', 'grades', 'sections', 'subjects'] as const
export type Kind = (typeof kinds)[number]
export type Tenant = { id: string; number: number; sandbox: boolean; records: Record<Kind, Map<string, Rec>> }

/** What is sent and what is kept of it; another tenant's id is kept as a symbol. */
type Field = (random: Random, world: { own: Tenant; others: Tenant[] }) => { given: unknown; kept: unknown } | 'wrong'
const as = (given: unknown) => ({ given, kept: given })

const text: Field = (random) => {
  if (random.integer(25) === 0) return 'wrong'
  const given = nameOf(random)
  return { given, kept: given.normalize('NFC') }
}
const oneOf =
  (...values: unknown[]): Field =>
  (random) =>
    as(random.pick(values))
const reference =
  (kind: Kind): Field =>
  (random, { own, others }) => {
    const known = [...own.records[kind].keys()]
    const dice = random.integer(10)
    if (dice === 0) return as(null)
    if (dice === 1) return 'wrong'
    if (dice === 2) {
      const foreign = others.flatMap((one) => [...one.records[kind].keys()])
      return foreign.length > 0 ? { given: random.pick(foreign), kept: Symbol('foreign') } : as(null)
    }
    if (known.length === 0) return as(null)
    const id = random.pick(known)
    return { given: random.integer(3) === 0 ? id.toLowerCase() : id, kept: id }
  }
const phones: [given: string, kept: string][] = [
  ['+966501234567', '+966501234567'],
  ['+966 50 123 4567', '+966501234567'],
  ['+٩٦٦٥٠١٢٣٤٥٦٨', '+966501234568'],
  ['+20 100 123 4567', '+201001234567'],
]
const phone: Field = (random) => {
  const [given, kept] = random.pick(phones)
  return { given, kept }
}
const ids: Field = (random) => as(random.pick(['1098765432', '10-98', '١٠٩٨', 'A B 1', 'ab_c', 'é1', null]))

/** A kind of record as the specification has it. `names` are searched by word, `wholes` from their beginning. */
export type Shape = {
  path: string
  wrapper: string
  name: string
  required: string[]
  fields: Record<string, Field>
  names: string[]
  wholes: string[]
  filters: string[]
}
const mail = oneOf('ali@example.org', 'Al-i.b@example.org', 'sara@example.com', null)
export const shapes: Record<Kind, Shape> = {
  students: {
    path: '/education/students',
    wrapper: 'student',
    name: 'education.students',
    required: ['full_name'],
    names: ['full_name'],
    wholes: ['national_id'],
    filters: ['grade_id', 'section_id'],
    fields: {
      full_name: text,
      national_id: ids,
      birth_date: oneOf('2015-02-28', '0001-01-01', '9999-12-31', null),
      gender: oneOf('male', 'female', null),
      grade_id: reference('grades'),
      section_id: reference('sections'),
      guardian_id: reference('guardians'),
    },
  },
  guardians: {
    path: '/education/guardians',
    wrapper: 'guardian',
    name: 'education.guardians',
    required: ['full_name', 'phone'],
    names: ['full_name'],
    wholes: ['phone', 'email'],
    filters: [],
    fields: { full_name: text, phone, email: mail, relation: oneOf('father', 'mother', 'other', null) },
  },
  employees: {
    path: '/employees/directory',
    wrapper: 'employee',
    name: 'employees.directory',
    required: ['full_name'],
    names: ['full_name', 'job_title'],
    wholes: ['email'],
    filters: [],
    fields: { full_name: text, job_title: text, email: mail },
  },
  grades: {
    path: '/education/grades',
    wrapper: 'grade',
    name: 'education.grades',
    required: ['name'],
    names: ['name'],
    wholes: [],
    filters: [],
    fields: { name: text, level: oneOf(1, -5, 2_147_483_647, null) },
  },
  sections: {
    path: '/education/sections',
    wrapper: 'section',
    name: 'education.sections',
    required: ['name'],
    names: ['name'],
    wholes: [],
    filters: ['grade_id'],
    fields: { name: text, grade_id: reference('grades') },
  },
  subjects: {
    path: '/education/subjects',
    wrapper: 'subject',
    name: 'education.subjects',
    required: ['name'],
    names: ['name'],
    wholes: ['code'],
    filters: [],
    fields: { name: text, code: ids },
  },
}

/** Fields to send, what the record must hold of them, and whether they must be refused. */
export function fieldsFor(random: Random, kind: Kind, world: { own: Tenant; others: Tenant[] }, all: boolean) {
  const { fields, required } = shapes[kind]
  const given: Fields = {}
  const kept: Fields = {}
  let wrong: false | 'form' | 'reference' = false
  for (const [name, make] of Object.entries(fields)) {
    const isNeeded = required.includes(name)
    if (!(all && isNeeded) && random.integer(2) === 0) continue
    const value = make(random, world)
    if (value === 'wrong') {
      wrong = 'form'
      given[name] = random.pick(['', 5, {}, ['x'], 'a\0b', '\ud800'])
    } else {
      given[name] = value.given
      kept[name] = value.kept
      if (typeof value.kept === 'symbol') wrong ||= 'reference'
    }
  }
  if (random.integer(6) === 0)
    Object.assign(given, { unknown: { deep: [1] }, tenant_id: 'x', id: '01J9ZK3V7Q8R2M4T6W8Y0A1B2C' })
  return { given, kept, wrong }
}

/** In one order of names, for comparing. */
export const sorted = (record: object): Fields =>
  Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))

export const emptyRecords = (): Tenant['records'] =>
  Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as Tenant['records']
