import { html, type ModuleDefinition } from '@partner/sdk'
import { wantedDay, weekOf } from './days.ts'
import { absencesPerPage, countBySection, listAbsences } from './marks.ts'
import { base, date, dayForm, forStaff, page, studentCell, table } from './page.ts'
import { listSections } from './sections.ts'
import { t } from './texts.ts'

/** Who was absent on a day, and how a week went in each section. */
export const reportRoutes: ModuleDefinition['routes'] = {
  'GET /absences': forStaff(async (context) => {
    const { db, locale, query } = context
    const day = await wantedDay(context)
    const number = Math.min(Math.max(Math.trunc(Number(query.page)) || 1, 1), 10_000)
    const [sections, absences] = await Promise.all([listSections(context), listAbsences(db, day, number)])
    const names = new Map(sections.map(({ id, name }) => [id, name]))
    const rows = absences.map(
      ({ student_name, student_birth_date, section_id, status }) => html`<tr>
        ${studentCell(context, student_name, student_birth_date)}<td><bdi>${names.get(section_id)}</bdi></td><td><span class="badge">${t(locale, status)}</span></td>
      </tr>`,
    )
    const next = `${base}/absences?day=${day}&page=${number + 1}`
    return page(context, 'absences', [
      dayForm(context, '/absences', day),
      table(context, ['student', 'section', 'status'], rows),
      absences.length === absencesPerPage && html`<p><a class="button" href="${next}">${t(locale, 'next')}</a></p>`,
    ])
  }),

  'GET /summary': forStaff(async (context) => {
    const { first, last } = weekOf(await wantedDay(context))
    const [sections, counts] = await Promise.all([listSections(context), countBySection(context.db, first, last)])
    const bySection = new Map(counts.map((count) => [count.section_id, count]))
    const rows = sections.map(({ id, name }) => {
      const { present = 0, absent = 0, late = 0, excused = 0 } = bySection.get(id) ?? {}
      return html`<tr><td><bdi>${name}</bdi></td><td>${present}</td><td>${absent}</td><td>${late}</td><td>${excused}</td></tr>`
    })
    return page(context, 'summary', [
      dayForm(context, '/summary', first),
      html`<p class="muted">${date(first)} – ${date(last)}</p>`,
      table(context, ['section', 'present', 'absent', 'late', 'excused'], rows),
    ])
  }),
}
