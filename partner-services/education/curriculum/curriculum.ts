import { z } from 'zod'
import { NotFoundException } from '../../service/errors.ts'
import type { TenantDatabase } from '../../service/ports.ts'
import { day, ulid } from '../../service/schemas.ts'
import { and, sql } from '../../service/sql.ts'

export const lesson = z
  .object({
    position: z.int().meta({ example: 1 }),
    unit: z.string().nullable().meta({ example: 'الأعداد' }),
    title: z.string().meta({ example: 'الجمع والطرح' }),
    kind: z.string().meta({ example: 'lesson' }),
    sessions: z.int().meta({ description: 'Sessions of the week that this lesson takes', example: 2 }),
    content: z.string().nullable().meta({ example: 'ص 12-18' }),
    session_of_lesson: z
      .int()
      .nullable()
      .meta({ description: 'Which of its sessions; null where no session was asked for', example: 1 }),
    sessions_in_lesson: z.int().meta({ example: 2 }),
  })
  .meta({ id: 'Lesson' })

export const week = z
  .object({
    number: z.int().nullable().meta({ description: 'Counts study weeks only; null for a holiday box', example: 3 }),
    position: z.int().meta({ description: 'The fixed place in the term, holidays included: store this', example: 4 }),
    starts_on: day,
    ends_on: day,
    kind: z.enum(['study', 'holiday', 'exam']),
    label: z.string().nullable().meta({ example: null }),
    lessons: z.array(lesson),
  })
  .meta({ id: 'Week' })

export const curriculum = z
  .object({
    subject_id: ulid,
    term_id: ulid,
    status: z.literal('published'),
    textbook_url: z.string().nullable().meta({ example: 'https://books.example.org/math-1.pdf' }),
    weeks: z.array(week),
  })
  .meta({ id: 'Curriculum' })

export type Lesson = z.input<typeof lesson>
export type Week = z.input<typeof week>
export type Curriculum = z.input<typeof curriculum>

/**
 * The published curriculum of a subject: the one whose weeks hold `date`, else the last. A draft counts as absent.
 * Throws NotFoundException.
 */
export async function publishedCurriculum(
  db: TenantDatabase,
  wanted: { tenantId: string; subjectId: string; date: string; termId?: string | undefined },
): Promise<Curriculum> {
  const { tenantId, subjectId, date, termId } = wanted
  const found = await db.row<Curriculum>(sql`
    select c.subject_id, c.term_id, c.status, c.textbook_url, coalesce(plan.weeks, '[]') as weeks
    from core.curricula c
    left join lateral (
      select json_agg(json_build_object('number', w.number, 'position', w.position, 'starts_on', w.starts_on,
          'ends_on', w.ends_on, 'kind', w.kind, 'label', w.label, 'lessons', coalesce(l.lessons, '[]'))
          order by w.position) as weeks,
        bool_or(${date}::date between w.starts_on and w.ends_on) as holds_date,
        max(w.ends_on) as last_day
      from core.curriculum_weeks w
      left join lateral (
        select json_agg(json_build_object('position', position, 'unit', unit, 'title', title, 'kind', kind,
          'sessions', sessions, 'content', content, 'session_of_lesson', null, 'sessions_in_lesson', sessions)
          order by position) as lessons
        from core.curriculum_lessons
        where tenant_id = ${tenantId} and curriculum_id = w.curriculum_id and week_position = w.position
      ) l on true
      where w.tenant_id = ${tenantId} and w.curriculum_id = c.id
    ) plan on true
    where c.tenant_id = ${tenantId} and c.subject_id = ${subjectId} and c.status = 'published'${and(
      termId && sql`c.term_id = ${termId}`,
    )}
    order by plan.holds_date desc nulls last, plan.last_day desc nulls last, c.id desc limit 1`)
  if (!found) throw new NotFoundException()
  return found
}
