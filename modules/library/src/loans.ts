import { type Database, type Sql, sql } from '@partner/sdk'
import { rowsPerPage } from './page.ts'

export type Loan = {
  id: string
  title: string
  student_id: string
  student_name: string
  /** Null where the school does not know it, and on loans from before it was kept. */
  student_birth_date: string | null
  due_on: string
}

/** One page of open loans, those due first before others. */
export function listOpenLoans(db: Database, page: number, condition: Sql = sql`true`): Promise<Loan[]> {
  return db.rows<Loan>(sql`select loans.id, books.title, loans.student_id, loans.student_name,
      loans.student_birth_date, loans.due_on
    from loans join books on books.id = loans.book_id where loans.returned_at is null and ${condition}
    order by loans.due_on, loans.id limit ${rowsPerPage} offset ${(page - 1) * rowsPerPage}`)
}

export async function countOpenLoans(db: Database, condition: Sql): Promise<number> {
  const counted = await db.row<{ count: number }>(
    sql`select count(*)::integer as count from loans where loans.returned_at is null and ${condition}`,
  )
  return counted!.count
}

export const overdueOn = (today: string): Sql => sql`loans.due_on < ${today}`

export const borrowedBy = (studentId: string): Sql => sql`loans.student_id = ${studentId}`

const loanDays = 14

type Borrower = { id: string; full_name: string; birth_date: string | null }

type NewLoan = { id: string; bookId: string; student: Borrower; lentOn: string }

/**
 * Lends a copy for two weeks; nothing more where this very loan is open already, or closed. `noCopy` where there is none left,
 * also when two librarians take the last one at once.
 */
export function lend(db: Database, { id, bookId, student, lentOn }: NewLoan): Promise<'lent' | 'givenBack' | 'noCopy'> {
  return db.transaction(async (tx) => {
    const taken = await tx.execute(sql`update books set lent = lent + 1 where id = ${bookId} and lent < copies`)
    // Only now: whoever sent the same form a moment before has committed.
    const known = await tx.row<{ open: boolean }>(sql`select returned_at is null as open from loans where id = ${id}`)
    if (known) {
      if (taken > 0) await tx.execute(sql`update books set lent = lent - 1 where id = ${bookId}`)
      return known.open ? 'lent' : 'givenBack'
    }
    if (taken === 0) return 'noCopy'
    await tx.execute(sql`insert into loans (id, book_id, student_id, student_name, student_birth_date, lent_on, due_on)
      values (${id}, ${bookId}, ${student.id}, ${student.full_name}, ${student.birth_date}, ${lentOn},
        ${daysAfter(lentOn, loanDays)})`)
    return 'lent'
  })
}

/** Takes a book back. False where the loan is not open: a second click changes nothing. */
export function giveBack(db: Database, loanId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const loan = await tx.row<{ book_id: string }>(
      sql`update loans set returned_at = now() where id = ${loanId} and returned_at is null returning book_id`,
    )
    if (loan) await tx.execute(sql`update books set lent = lent - 1 where id = ${loan.book_id}`)
    return loan !== null
  })
}

function daysAfter(day: string, count: number): string {
  return new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10)
}
