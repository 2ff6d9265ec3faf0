import { type Html, html, type ModuleDefinition, type RouteContext, redirect, withStatus } from '@partner/sdk'
import { postedDay, wantedDay } from './days.ts'
import { everyPage } from './every-page.ts'
import { countBySection, isStatus, type Mark, marksOf, saveMarks, statuses } from './marks.ts'
import { base, dayForm, forStaff, page, studentCell, table } from './page.ts'
import { listSections } from './sections.ts'
import { type TextKey, t } from './texts.ts'

/** The sections of the school, and the register of each for a day. */
export const registerRoutes: ModuleDefinition['routes'] = {
  'GET /': forStaff(async (context) => {
    const day = await wantedDay(context)
    const [sections, counts] = await Promise.all([listSections(context), countBySection(context.db, day, day)])
    const marked = new Map(counts.map((count) => [count.section_id, count.marked]))
    const rows = sections.map(({ id, name }) => {
      const register = `${base}/sections/${id}?day=${day}`
      return html`<tr><td><a href="${register}"><bdi>${name}</bdi></a></td><td>${marked.get(id) ?? 0}</td></tr>`
    })
    return page(context, 'attendance', [dayForm(context, '', day), table(context, ['section', 'marked'], rows)])
  }),

  'GET /sections/:id': forStaff(async (context) => {
    const { db, params } = context
    const day = await wantedDay(context)
    const [students, sections] = await Promise.all([studentsOf(context), listSections(context)])
    const marks = await marksOf(
      db,
      students.map(({ id }) => id),
      day,
    )
    const statusOf = new Map(marks.map((mark) => [mark.student_id, mark.status]))
    const rows = students.map((student) => {
      const born = students.some((other) => isNamesake(student, other)) ? student.birth_date : null
      const choice = statusChoice(context, { ...student, birth_date: born }, statusOf.get(student.id) ?? 'present')
      return html`<tr>${studentCell(context, student.full_name, born)}<td>${choice}</td></tr>`
    })
    const path = `/sections/${params.id}`
    const isSaved = students.every(({ id }) => statusOf.has(id))
    return page(context, 'register', [
      html`<h2><bdi>${sections.find(({ id }) => id === params.id)?.name}</bdi></h2>`,
      dayForm(context, path, day),
      students.length > 0 && (isSaved ? notice(context, 'success', 'saved') : notice(context, 'warning', 'notSaved')),
      html`<form class="form" method="post" action="${base + path}">
        <input type="hidden" name="day" value="${day}">
        ${table(context, ['student', 'status'], rows)}
        <button class="button">${t(context.locale, 'save')}</button>
      </form>`,
    ])
  }),

  'POST /sections/:id': forStaff(async (context) => {
    const { body, db, params } = context
    const day = postedDay(context)
    if (day === null) return withStatus(422, page(context, 'register', notice(context, 'warning', 'noSuchDay')))
    const marks = (await studentsOf(context)).flatMap(({ id, full_name, birth_date }): Mark[] => {
      const status = body[`status_${id}`]
      return isStatus(status)
        ? [{ student_id: id, student_name: full_name, student_birth_date: birth_date, status }]
        : []
    })
    await saveMarks(db, params.id!, day, marks)
    return redirect(`/sections/${params.id}?day=${day}`)
  }),
}

/** The section's students. An unknown section is a missing page: the service layer says so. */
async function studentsOf({ services, params }: RouteContext) {
  const { section } = await services.education.sections.get({ id: params.id! })
  return everyPage((page) => services.education.students.list({ section_id: section.id, page, per_page: 100 }))
}

const notice = ({ locale }: RouteContext, kind: 'success' | 'warning', text: TextKey): Html =>
  html`<p class="${`notice notice-${kind}`}">${t(locale, text)}</p>`

type Student = { id: string; full_name: string; birth_date: string | null }

const isNamesake = (one: Student, other: Student): boolean => one.id !== other.id && one.full_name === other.full_name

function statusChoice({ locale }: RouteContext, { id, full_name, birth_date }: Student, current: string): Html {
  const options = statuses.map(
    (status) => html`<option value="${status}" selected="${status === current}">${t(locale, status)}</option>`,
  )
  const whose = birth_date ? `${full_name}, ${t(locale, 'born')} ${birth_date}` : full_name
  return html`<select name="${`status_${id}`}" aria-label="${whose}">${options}</select>`
}
