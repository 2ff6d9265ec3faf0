import { z } from 'zod'
import { tenantToday } from '../../identity/tenant-zone.ts'
import { defineOperation } from '../../service/operation.ts'
import { day, integerText, recordId, ulid } from '../../service/schemas.ts'
import { type Lesson, lesson, publishedCurriculum, type Week, week } from './curriculum.ts'

const reason = z.enum([
  'week_holiday',
  'week_exam',
  'week_not_planned',
  'beyond_planned_sessions',
  'session_index_missing',
  'no_week_for_date',
])

type Resolution = { reason: z.input<typeof reason> | null; week: Week | null; lesson: Lesson | null }

/** Which lesson is taught on a day, in the n-th session of that subject in the week. */
export const resolveSession = defineOperation({
  name: 'education.curriculum.session',
  scope: 'education.curriculum.read',
  summary: 'Resolve a session of a subject to its lesson',
  description:
    'Answers 200 with `resolved: false` and one `reason` where no lesson can be named. ' +
    "`date` is today on the tenant's clock where it is not given.",
  http: { method: 'GET', path: '/education/subjects/{id}/curriculum/session' },
  input: z.object({ id: recordId, date: day.optional(), session_index: integerText(1, 2_147_483_647).optional() }),
  output: z.object({
    subject_id: ulid,
    date: day,
    session_index: z.int().nullable(),
    resolved: z.boolean(),
    reason: reason.nullable(),
    week: week.nullable(),
    lesson: lesson.nullable(),
  }),
  touched: ({ subject_id }) => [subject_id],
  async handler({ db, input, caller, ports }) {
    const date = input.date ?? (await tenantToday(db, caller, ports))
    const { subject_id, weeks } = await publishedCurriculum(db, {
      tenantId: caller.tenant.id,
      subjectId: input.id,
      date,
    })
    const found = resolve(weeks, date, input.session_index)
    return {
      subject_id,
      date,
      session_index: input.session_index ?? null,
      resolved: found.reason === null,
      ...found,
    }
  },
})

/** Source of the reasons and their meaning: specification, curriculum session. */
export function resolve(weeks: Week[], date: string, sessionIndex: number | undefined): Resolution {
  const week = weeks.find(({ starts_on, ends_on }) => starts_on <= date && date <= ends_on) ?? null
  const unresolved = (reason: Resolution['reason']): Resolution => ({ reason, week, lesson: null })
  if (!week) return unresolved('no_week_for_date')
  if (week.kind === 'holiday') return unresolved('week_holiday')
  if (week.kind === 'exam') return unresolved('week_exam')
  if (week.lessons.length === 0) return unresolved('week_not_planned')
  if (sessionIndex === undefined) return unresolved('session_index_missing')
  let before = 0
  for (const lesson of week.lessons) {
    if (sessionIndex <= before + lesson.sessions)
      return { reason: null, week, lesson: { ...lesson, session_of_lesson: sessionIndex - before } }
    before += lesson.sessions
  }
  return unresolved('beyond_planned_sessions')
}
