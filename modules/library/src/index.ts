import { defineModule } from '@partner/sdk'
import { bookRoutes } from './book-routes.ts'
import { keepStudentName } from './keep-student-name.ts'
import { lendingRoutes } from './lending-routes.ts'
import { loanRoutes } from './loan-routes.ts'
import { overdueTool } from './overdue-tool.ts'

export default defineModule({
  routes: { ...bookRoutes, ...lendingRoutes, ...loanRoutes },
  tools: [overdueTool],
  events: { 'education.students.updated': keepStudentName },
})
