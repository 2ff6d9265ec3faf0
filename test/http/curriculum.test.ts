import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ulid } from 'ulid'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createSchool, type InstalledApp, installApp, type School } from '../support/school.ts'
import { startWeb, type TestWeb } from '../support/web.ts'

let database: TestDatabase
let web: TestWeb
let school: School
let app: InstalledApp
let subjectId: string
let draftedId: string

// 21:30 UTC on Saturday is past midnight in Riyadh: the tenant's day is Sunday, the first of the study week.
const now = new Date('2026-09-05T21:30:00Z')

const weeks = [
  { position: 1, number: 1, starts_on: '2026-08-30', ends_on: '2026-09-03', kind: 'study', label: null },
  { position: 2, number: 2, starts_on: '2026-09-06', ends_on: '2026-09-10', kind: 'study', label: null },
  { position: 3, number: null, starts_on: '2026-09-13', ends_on: '2026-09-17', kind: 'holiday', label: 'إجازة' },
  { position: 4, number: 3, starts_on: '2026-09-20', ends_on: '2026-09-24', kind: 'exam', label: 'اختبارات' },
  { position: 5, number: 4, starts_on: '2026-09-27', ends_on: '2026-10-01', kind: 'study', label: null },
]

before(async () => {
  database = await createTestDatabase()
  web = await startWeb(database, { clock: () => now })
  school = await createSchool(database.admin, { timezone: 'Asia/Riyadh' })
  app = await installApp(database.admin, school)
  const [yearId, termId] = [ulid(), ulid()]
  await database.admin.query(`insert into core.academic_years values ($1, $2, 'Y', '2026-08-30', '2027-06-10')`, [
    school.id,
    yearId,
  ])
  await database.admin.query(`insert into core.terms values ($1, $2, 'T', $3)`, [school.id, termId, yearId])
  subjectId = await addSubject(termId, 'published')
  draftedId = await addSubject(termId, 'draft')
})

after(async () => {
  await web?.close()
  await database?.drop()
})

async function addSubject(termId: string, status: string): Promise<string> {
  const [id, curriculumId] = [ulid(), ulid()]
  await database.admin.query(`insert into core.subjects values ($1, $2, 'Maths')`, [school.id, id])
  await database.admin.query(`insert into core.curricula values ($1, $2, $3, $4, $5, 'https://books.example/1.pdf')`, [
    school.id,
    curriculumId,
    id,
    termId,
    status,
  ])
  for (const { position, number, starts_on, ends_on, kind, label } of weeks) {
    await database.admin.query(`insert into core.curriculum_weeks values ($1, $2, $3, $4, $5, $6, $7, $8)`, [
      school.id,
      curriculumId,
      position,
      number,
      starts_on,
      ends_on,
      kind,
      label,
    ])
  }
  for (const [position, sessions] of [
    [1, 2],
    [2, 3],
  ]) {
    await database.admin.query(
      `insert into core.curriculum_lessons values ($1, $2, 2, $3, 'U', 'Lesson ' || $3::int, 'lesson', $4, null)`,
      [school.id, curriculumId, position, sessions],
    )
  }
  return id
}

const session = async (query: string) =>
  (await web.call(`/apps/education/subjects/${subjectId}/curriculum/session?${query}`, { token: app.token })).body

test('the published curriculum shows every week by its position, holidays included', async () => {
  const { status, body } = await web.call(`/apps/education/subjects/${subjectId}/curriculum`, { token: app.token })
  assert.equal(status, 200)
  assert.equal(body.curriculum.status, 'published')
  assert.deepEqual(
    body.curriculum.weeks.map(({ lessons, ...week }: { lessons: unknown[] }) => week),
    weeks,
  )
  assert.deepEqual(body.curriculum.weeks[1].lessons[1], {
    position: 2,
    unit: 'U',
    title: 'Lesson 2',
    kind: 'lesson',
    sessions: 3,
    content: null,
    session_of_lesson: null,
    sessions_in_lesson: 3,
  })
})

test('a draft counts as absent', async () => {
  for (const path of ['curriculum', 'curriculum/session']) {
    const { status } = await web.call(`/apps/education/subjects/${draftedId}/${path}`, { token: app.token })
    assert.equal(status, 404)
  }
})

test('a session is found over lessons of several sessions', async () => {
  const expected = [
    [1, 'Lesson 1', 1],
    [2, 'Lesson 1', 2],
    [3, 'Lesson 2', 1],
    [5, 'Lesson 2', 3],
  ]
  for (const [index, title, sessionOfLesson] of expected) {
    const found = await session(`date=2026-09-08&session_index=${index}`)
    assert.deepEqual([found.resolved, found.reason, found.session_index], [true, null, index])
    assert.deepEqual([found.lesson.title, found.lesson.session_of_lesson], [title, sessionOfLesson])
    assert.equal(found.week.position, 2)
  }
})

test('without a date it is today on the clock of the school', async () => {
  const found = await session('session_index=1')
  assert.deepEqual([found.date, found.week.position, found.resolved], ['2026-09-06', 2, true])
})

test('every reason that no lesson can be named', async () => {
  const expected = [
    ['date=2026-09-14&session_index=1', 'week_holiday', 'إجازة'],
    ['date=2026-09-20', 'week_exam', 'اختبارات'],
    ['date=2026-09-27&session_index=1', 'week_not_planned', null],
    ['date=2026-09-08&session_index=6', 'beyond_planned_sessions', null],
    ['date=2026-09-08&session_index=1001', 'beyond_planned_sessions', null],
    ['date=2026-09-08', 'session_index_missing', null],
    ['date=2026-09-04&session_index=1', 'no_week_for_date', undefined],
    ['date=1999-01-01', 'no_week_for_date', undefined],
  ]
  for (const [query, reason, label] of expected) {
    const found = await session(query!)
    assert.deepEqual(
      [found.resolved, found.reason, found.week?.label, found.lesson],
      [false, reason, label, null],
      query!,
    )
  }
  assert.equal((await session('date=2026-09-08')).week.lessons.length, 2)
})

test('a wrong date or index is refused by name', async () => {
  for (const query of [
    'date=2026-02-30',
    'date=0000-01-01',
    'date=x',
    'session_index=0',
    'session_index=1.5',
    'session_index=1&session_index=2',
  ]) {
    assert.deepEqual(Object.keys((await session(query)).errors), [query.split('=')[0]], query)
  }
})
