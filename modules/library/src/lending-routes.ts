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
    const rows = (found?.data ?? []).map((student) => studentRow(context, book.id, student))
    const more = (found?.total ?? 0) - rows.length
    return page(context, 'lendTo', [
      html`<p><bdi>${book.title}</bdi></p>`,
      searchForm(context, `${base}/books/${book.id}/lend`, search),
      found && table(context, ['student', 'lend'], rows, 'noStudent'),
      more > 0 && html`<p class="muted">${t(context.locale, 'more').replace('{count}', String(more))}</p>`,
    ])
  }),

  'POST /loans': forLibrarians(async (context) => {
    const { db, services, body } = context
    const { student } = await services.education.students.get({ id: body.student_id ?? '' })
    const lentOn = pastDay(body.lent_on, await todayAtSchool(context))
    const loan = { id: formId(body.loan_id), bookId: body.book_id ?? '', student, lentOn }
    if (await lend(db, loan)) return redirect('/loans')
    return withStatus(409, page(context, 'lendTo', html`<p class="notice">${t(context.locale, 'noCopy')}</p>`))
  }),
}

type Student = { id: string; full_name: string; birth_date: string | null }

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
