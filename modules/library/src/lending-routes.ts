import { type Html, html, type ModuleDefinition, notFound, type RouteContext, redirect, withStatus } from '@partner/sdk'
import { searchForm } from './book-routes.ts'
import { findBook } from './books.ts'
import { formId } from './form-id.ts'
import { lend } from './loans.ts'
import { base, forLibrarians, page, studentCell, table } from './page.ts'
import { t } from './texts.ts'
import { pastDay, todayAtSchool } from './today.ts'

/** Lending a book: choose it, find the student, press the button. */
export const lendingRoutes: ModuleDefinition['routes'] = {
  'GET /books/:id/lend': forLibrarians(async (context) => {
    const { db, services, params, query } = context
    const book = await findBook(db, params.id!)
    if (!book) return notFound()
    const search = (query.search ?? '').trim()
    const found = search === '' ? null : await services.education.students.list({ search, per_page: 20 })
    const more = (found?.total ?? 0) - (found?.data.length ?? 0)
    return page(context, 'lendTo', [
      html`<p><bdi>${book.title}</bdi></p>`,
      searchForm(context, `${base}/books/${book.id}/lend`, search),
      found && lendingTable(context, book.id, found.data),
      more > 0 && html`<p class="muted">${t(context.locale, 'more').replace('{count}', String(more))}</p>`,
    ])
  }),

  'POST /loans': forLibrarians(async (context) => {
    const { db, services, body } = context
    const { student } = await services.education.students.get({ id: body.student_id ?? '' })
    const lentOn = pastDay(body.lent_on, await todayAtSchool(context))
    const loan = { id: formId(body.loan_id), bookId: body.book_id ?? '', student, lentOn }
    const outcome = await lend(db, loan)
    if (outcome === 'lent') return redirect('/loans')
    const notice = html`<p class="notice">${t(context.locale, outcome)}</p>`
    const again = outcome === 'givenBack' && lendingTable(context, loan.bookId, [student])
    return withStatus(409, page(context, 'lendTo', [notice, again]))
  }),
}

type Student = { id: string; full_name: string; birth_date: string | null }

/** Students, each with a new form that lends them the book. */
function lendingTable(context: RouteContext, bookId: string, students: Student[]): Html {
  const rows = students.map((student) => studentRow(context, bookId, student))
  return table(context, ['student', 'lend'], rows, 'noStudent')
}

function studentRow(context: RouteContext, bookId: string, { id, full_name, birth_date }: Student): Html {
  const { locale } = context
  return html`<tr>${studentCell(context, full_name, birth_date)}
    <td><form method="post" action="${`${base}/loans`}">
      <input type="hidden" name="loan_id" value="${formId(undefined)}">
      <input type="hidden" name="book_id" value="${bookId}">
      <input type="hidden" name="student_id" value="${id}">
      <label class="field">${t(locale, 'lentOn')} <input type="date" name="lent_on"></label>
      <button class="button" aria-label="${`${t(locale, 'lend')}: ${full_name}`}">${t(locale, 'lend')}</button>
    </form></td>
  </tr>`
}
