import { type EventHandler, sql } from '@partner/sdk'

/** A student was renamed: open loans show the new name, on a host that calls it. Returned ones keep the name of their time. */
export const keepStudentName: EventHandler = async ({ event, db }) => {
  const { student } = event.data as { student: { id: string; full_name: string } }
  await db.execute(
    sql`update loans set student_name = ${student.full_name} where student_id = ${student.id} and returned_at is null`,
  )
}
