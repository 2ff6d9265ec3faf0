import { type Database, newId, sql } from '@partner/sdk'

export const statuses = ['present', 'absent', 'late', 'excused'] as const

export type Status = (typeof statuses)[number]

export const isStatus = (text: string | undefined): text is Status => statuses.includes(text as Status)

export type Mark = {
  student_id: string
  student_name: string
  /** Null where the school does not know it, and on marks from before it was kept. */
  student_birth_date: string | null
  status: Status
}

/** The marks of these students on one day, whichever section marked them: a student may have moved since. */
export function marksOf(db: Database, studentIds: string[], day: string): Promise<Mark[]> {
  return db.rows<Mark>(
    sql`select student_id, student_name, student_birth_date, status from marks where day = ${day} and student_id = any(${studentIds}::text[])`,
  )
}

/** Keeps a register, in one statement however many students it has. Marks of the same day are replaced. */
export async function saveMarks(db: Database, sectionId: string, day: string, marks: Mark[]): Promise<void> {
  if (marks.length === 0) return
  await db.execute(sql`insert into marks (id, section_id, day, student_id, student_name, student_birth_date, status)
    select entry.id, ${sectionId}, ${day}::date, entry.student_id, entry.student_name, entry.student_birth_date, entry.status
    from unnest(${marks.map(newId)}::text[], ${marks.map((mark) => mark.student_id)}::text[],
      ${marks.map((mark) => mark.student_name)}::text[],
      ${marks.map((mark) => mark.student_birth_date)}::date[], ${marks.map((mark) => mark.status)}::text[])
      as entry (id, student_id, student_name, student_birth_date, status)
    on conflict (student_id, day) do update set section_id = excluded.section_id,
      student_name = excluded.student_name, student_birth_date = excluded.student_birth_date, status = excluded.status, recorded_at = now()`)
}

export const absencesPerPage = 50

/** One page of who was not there, or not in time, on a day. */
export function listAbsences(db: Database, day: string, page: number): Promise<(Mark & { section_id: string })[]> {
  return db.rows(sql`select student_id, student_name, student_birth_date, section_id, status from marks
    where day = ${day} and status <> 'present' order by student_name, student_id
    limit ${absencesPerPage} offset ${(page - 1) * absencesPerPage}`)
}

export type SectionCount = { section_id: string; marked: number } & Record<Status, number>

/** How often each status was marked in each section from `first` to `last`. */
export function countBySection(db: Database, first: string, last: string): Promise<SectionCount[]> {
  const count = (status: Status) => sql`count(*) filter (where status = ${status})::integer`
  return db.rows<SectionCount>(sql`select section_id, count(*)::integer as marked, ${count('present')} as present,
      ${count('absent')} as absent, ${count('late')} as late, ${count('excused')} as excused
    from marks where day between ${first} and ${last} group by section_id`)
}
