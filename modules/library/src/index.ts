import { defineModule, html } from '@partner/sdk'
export default defineModule({
  routes: {
    'GET /': async ({ viewer }) => html`<h1>Library</h1><p>${viewer?.displayName}</p>`,
    'GET /student/:id': async ({ services, params }) => {
      const { student } = await services.education.students.get({ id: params.id! })
      return { name: student.full_name }
    },
    'GET /boom': async () => {
      throw new Error('boom')
    },
  },
})
