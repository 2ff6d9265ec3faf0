import { defineModule } from '@partner/sdk'
import { registerRoutes } from './register-routes.ts'
import { reportRoutes } from './report-routes.ts'

export default defineModule({ routes: { ...registerRoutes, ...reportRoutes } })
