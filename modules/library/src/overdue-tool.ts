import { json, tool } from '@partner/sdk'
import { countOpenLoans, listOpenLoans, overdueOn } from './loans.ts'
import { isLibrarian } from './page.ts'
import { t } from './texts.ts'
import { todayAtSchool } from './today.ts'

/** For the school's assistant: who should bring back what. Whoever asks it learns what the page on it would show them. */
export const overdueTool = tool({
  name: 'library.loans.overdue',
  description:
    'Lists the books that are overdue, with the student who has each and the day it was due: the first 50 of `total`, those due longest ago.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  requiredScopes: ['education.students.read'],
  handler: async (context) => {
    const { db, locale } = context
    if (!isLibrarian(context)) return json({ message: t(locale, 'overdueForLibrarians') }, 403)
    const late = overdueOn(await todayAtSchool(context))
    const [loans, total] = await Promise.all([listOpenLoans(db, 1, late), countOpenLoans(db, late)])
    const overdue = loans.map(({ title, student_name, due_on }) => ({ title, student: student_name, due_on }))
    return { total, overdue }
  },
})
