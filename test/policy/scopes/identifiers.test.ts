// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are about templates, or are modules' source
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followModule, route, rulesFound } from '../support/flow.ts'

const one = 'const student = await ctx.services.education.students.get({ id: ctx.params.id })\n'
const list = 'const { data } = await ctx.services.education.students.list({})\n'
const types =
  "import type { Ulid, Student } from '@partner/sdk'\ninterface Loan { id: number; student_id: Ulid; copies: number; student: Student }\n"
const cast = 'ulid-cast-to-int'
const comparison = 'ulid-numeric-comparison'

const refused: readonly (readonly [string, string, string, string?])[] = [
  ['Number()', cast, `${one}return Number(student.id)`],
  ['Number through an alias', cast, `${one}const n = Number; return n(student.id)`],
  ['parseInt', cast, `${one}return parseInt(student.grade_id, 10)`],
  ['Number.parseInt', cast, `${one}return Number.parseInt(student.id)`],
  ['BigInt', cast, `${one}return BigInt(student.id)`],
  ['unary plus', cast, `${one}return +student.id`],
  ['two tildes', cast, `${one}return ~~student.id`],
  ['or zero', cast, `${one}return student.id | 0`],
  ['times one', cast, `${one}return student.id * 1`],
  ['minus', cast, `${one}return student.id - 0`],
  ['a shift', cast, `${one}return student.id >>> 0`],
  ['an increment', cast, `${one}let { id } = student; id++; return id`],
  ['a compound assignment', cast, `${one}let { id } = student; id -= 1; return id`],
  ['Math', cast, `${list}return Math.max(...data.map((s) => s.id))`],
  ['destructuring', cast, `${one}const { id: key } = student; return +key`],
  ['a template round trip', cast, `${one}return Number(\`\${student.id}\`)`],
  ['a concatenation round trip', cast, `${one}const t = '' + student.id; return +t`],
  ['String and back', cast, `${one}return Number(String(student.id))`],
  ['JSON and back', cast, `${one}return Number(JSON.parse(JSON.stringify(student.id)))`],
  ['toString and back', cast, `${one}return +student.id.toString()`],
  ['a slice', cast, `${one}return parseInt(student.id.slice(0, 8), 32)`],
  ['map(Number)', cast, `${list}return data.map((s) => s.id).map(Number)`],
  ['a helper', cast, `${one}return num(student.id)`, 'const num = (value) => Number(value)'],
  ['a list entry', cast, `${list}return +data[0].id`],
  ['a loop', cast, `${list}for (const { id } of data) ctx.log.info(+id)`],
  ['the viewer', cast, 'return Number(ctx.viewer.id)'],
  ['the tenant of the viewer', cast, 'return Number(ctx.viewer?.entityId)'],
  ['a declared type', cast, 'const loan = await ctx.db.row<Loan>(sql`select 1`); return +loan.student_id', types],
  [
    'a list of a declared type',
    cast,
    'const loans = await ctx.db.rows<Loan>(sql`select 1`); return loans.map((l) => Number(l.student_id))',
    types,
  ],
  ['a parameter of a declared type', cast, 'return 1', `${types}export function late(id: Ulid) { return +id }`],
  ['less than', comparison, `${one}return student.id < ctx.query.id`],
  ['at least', comparison, `${one}return student.id >= ctx.query.id`],
  ['equal to a number', comparison, `${one}return student.id === 5`],
  ['loosely equal to a number', comparison, `${one}return student.id == -1`],
  ['a sort callback', cast, `${list}return data.sort((a, b) => a.id - b.id)`],
  ['the first of a pair', cast, `${list}return data.map((s) => [s.id, s.level]).map(([id]) => +id)`],
  [
    'a pair in a Map',
    cast,
    `${list}const m = new Map(data.map((s) => [s.id, 1])); for (const [id] of m) ctx.log.info(+id)`,
  ],
  ['a value of an object made of pairs', cast, `${list}return +Object.fromEntries(data.map((s) => [s.name, s.id])).x`],
  ['a sort by order', comparison, `${list}return data.toSorted((a, b) => (a.id > b.id ? 1 : -1))`],
]

for (const [name, rule, body, more] of refused) {
  test(`an identifier is no number: ${name}`, () =>
    assert.deepEqual(rulesFound(followModule(route(body, more))), [rule]))
}

const honest: readonly (readonly [string, string, string?])[] = [
  ['strict equality', `${one}return student.id === ctx.query.id`],
  ['localeCompare', `${list}return data.sort((a, b) => a.id.localeCompare(b.id))`],
  [
    'counts and pages',
    'const page = await ctx.services.education.students.list({}); return page.total > 5 && page.data.length - 1 < page.per_page',
  ],
  [
    'other fields',
    'const grade = await ctx.services.education.grades.get({ id: ctx.params.id }); return grade.level < 3 && Number(grade.level)',
  ],
  [
    "the module's own numbers",
    'const loan = await ctx.db.row<Loan>(sql`select 1`); return loan.id + 1 < loan.copies * 2',
    types,
  ],
  ['a national id kept as text', `${one}return Number(student.national_id.length)`],
  ['the length of an id', `${one}return student.id.length > 3`],
  ['a template', `${one}return html\`<a href="/m/clubs/\${student.id}">\${student.full_name}</a>\``],
  ['a key of a Map', `${list}const names = new Map(data.map((s) => [s.id, s.full_name])); return names.size > 0`],
  ['the other of a pair', `${list}const rows = data.map((s) => [s.id, s.level]); return rows.map(([, n]) => n * 2)`],
  [
    'pairs filtered and sorted',
    `${list}return data.map((s) => [s.id, s.level]).filter(([, n]) => n > 2).sort((a, b) => a[1] - b[1]).at(0)[1] > 3`,
  ],
  [
    'values by id',
    `${list}const names = Object.fromEntries(data.map((s) => [s.id, s.level])); return names[ctx.query.id] > 3`,
  ],
  [
    'entries by id',
    `${list}const o = Object.fromEntries(data.map((s) => [s.id, s.level])); return Object.entries(o).map(([, n]) => n + 1 > 3)`,
  ],
  [
    'counts in a Map',
    `${list}const m = new Map(); for (const s of data) m.set(s.id, (m.get(s.id) ?? 0) + 1); return [...m].filter(([, n]) => n > 1)`,
  ],
  [
    'counts of groups',
    `${list}return Object.entries(Object.groupBy(data, (s) => s.grade_id)).filter(([, rows]) => rows.length > 3)`,
  ],
  ['the number of an entry', `${list}for (const [i, id] of data.map((s) => s.id).entries()) if (i > 3) return id`],
  ['an index', `${list}return data.findIndex((s) => s.id === ctx.query.id) > -1`],
]

for (const [name, body, more] of honest) {
  test(`no false alarm on identifiers: ${name}`, () =>
    assert.deepEqual(rulesFound(followModule(route(body, more))), []))
}

const ulidTypes =
  "import type { Ulid, Student } from '@partner/sdk'\nexport type Loan = { id: number; student_id: Ulid }\nexport interface Shelf { loans: Loan[]; reader: Student }\n"
const ofOtherFile = (imports: string, body: string) => ({
  ...route(body, imports),
  'src/types.ts': ulidTypes,
  'src/all.ts': "export type { Loan as Lent } from './types.ts'\nexport * from './types.ts'\n",
})
const loan = 'const loan = await ctx.db.row<Loan>(sql`select 1`)\n'

for (const [name, imports, body] of [
  ['imported', "import type { Loan } from './types.ts'", `${loan}return Number(loan.student_id)`],
  ['imported with other things', "import { type Loan } from './types.ts'", `${loan}return +loan.student_id`],
  [
    'imported under another name',
    "import type { Loan as L } from './types.ts'\ntype Loan = L",
    `${loan}return +loan.student_id`,
  ],
  ['handed on', "import type { Lent as Loan } from './all.ts'", `${loan}return +loan.student_id`],
  ['handed on with all others', "import type { Loan } from './all.ts'", `${loan}return +loan.student_id`],
  [
    'inside of an imported one',
    "import type { Shelf } from './types.ts'",
    'const shelf = await ctx.db.row<Shelf>(sql`select 1`)\nreturn +shelf.loans[0].student_id',
  ],
  [
    "the SDK's inside of an imported one",
    "import type { Shelf } from './types.ts'",
    'const shelf = await ctx.db.row<Shelf>(sql`select 1`)\nreturn +shelf.reader.id',
  ],
] as const) {
  test(`an identifier is no number in a type of another file: ${name}`, () =>
    assert.deepEqual(rulesFound(followModule(ofOtherFile(imports, body))), [cast]))
}

test('no false alarm on numbers in a type of another file', () => {
  const module = ofOtherFile("import type { Loan } from './types.ts'", `${loan}return loan.id * 2 + 1`)
  assert.deepEqual(rulesFound(followModule(module)), [])
})

const hash = 'student-hashid-misuse'
const profile = (body: string) => ({
  'src/index.ts': `import { defineModule, panel, sql } from '@partner/sdk'\nexport default defineModule({ studentProfile: { clubs: panel({ title: 'x', permission: 'clubs.list.read', render: async ({ studentHashid, services, db }) => {\n${body}\n} }) } })`,
})

test('a studentHashid is given to byHashid and needs the scope of students', () => {
  const analysis = followModule(profile('return services.education.students.byHashid(studentHashid)'))
  assert.deepEqual(
    [analysis.scopes.used.map((use) => use.scope), rulesFound(analysis)],
    [['education.students.read'], []],
  )
})

for (const [name, body] of Object.entries({
  'as an id': 'return services.education.students.get({ id: studentHashid })',
  'as a number': 'return Number(studentHashid)',
  'kept in a table': 'await db.execute(sql`insert into t values (${studentHashid})`)',
})) {
  test(`a studentHashid is not to be used ${name}`, () =>
    assert.deepEqual(rulesFound(followModule(profile(body))), [hash]))
}
