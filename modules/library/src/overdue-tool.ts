import { tool } from '@partner/sdk'
import { listOpenLoans, overdueOn } from './loans.ts'
import { todayAtSchool } from './today.ts'

/** For the school's assistant: who should bring back what. */
export const overdueTool = tool({
  name: 'library.loans.overdue',
  description: 'Lists the books that are overdue, with the student who has each and the day it was due.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  requiredScopes: ['education.students.read'],
  handler: async ({ db, services }) => {
    const loans = await listOpenLoans(db, 1, overdueOn(await todayAtSchool({ services })))
    return { overdue: loans.map(({ title, student_name, due_on }) => ({ title, student: student_name, due_on })) }
  },
})
