import { type Html, html, type ModuleDefinition, notFound, type RouteContext, redirect } from '@partner/sdk'
import { borrowedBy, giveBack, type Loan, listOpenLoans, overdueOn } from './loans.ts'
import { base, date, forLibrarians, nextLink, page, pageNumber, studentCell, table } from './page.ts'
import { t } from './texts.ts'
import { todayAtSchool } from './today.ts'

/** What is lent, what is late, and taking books back. */
export const loanRoutes: ModuleDefinition['routes'] = {
  'GET /loans': forLibrarians(async (context) => {
    const loans = await listOpenLoans(context.db, pageNumber(context.query.page))
    return page(context, 'loans', [loanTable(context, loans), nextLink(context, '/loans', {}, loans.length)])
  }),

  'GET /overdue': forLibrarians(async (context) => {
    const today = await todayAtSchool(context)
    const loans = await listOpenLoans(context.db, pageNumber(context.query.page), overdueOn(today))
    return page(context, 'overdue', [loanTable(context, loans), nextLink(context, '/overdue', {}, loans.length)])
  }),

  'POST /loans/:id/return': forLibrarians(async ({ db, params }) =>
    (await giveBack(db, params.id!)) ? redirect('/loans') : notFound(),
  ),

  'GET /mine': async (context) => {
    const { viewer, db } = context
    if (viewer?.type !== 'student') return notFound()
    const loans = await listOpenLoans(db, 1, borrowedBy(viewer.id))
    const rows = loans.map(({ title, due_on }) => html`<tr><td><bdi>${title}</bdi></td><td>${date(due_on)}</td></tr>`)
    return page(context, 'mine', table(context, ['book', 'dueOn'], rows))
  },
}

function loanTable(context: RouteContext, loans: Loan[]): Html {
  const rows = loans.map(
    ({ id, title, student_name, student_birth_date, due_on }) => html`<tr>
      <td><bdi>${title}</bdi></td>${studentCell(context, student_name, student_birth_date)}
      <td>${date(due_on)} <form method="post" action="${`${base}/loans/${id}/return`}">
        <button class="button" aria-label="${`${t(context.locale, 'giveBack')}: ${title}, ${student_name}`}">${t(context.locale, 'giveBack')}</button>
      </form></td>
    </tr>`,
  )
  return table(context, ['book', 'student', 'dueOn'], rows)
}
