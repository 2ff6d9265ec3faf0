import { external } from './external-sources.ts'
import type { ModuleType } from './manifest.ts'

type Files = Record<string, string>

const embedded = (slug: string): Files => ({
  'src/index.ts': `import { defineModule, html, newId, type RouteHandler, redirect, sql, withStatus } from '@partner/sdk'

type Note = { id: string; text: string }

/** As in the manifest's \`account_types\`. Those decide who sees the app's card; who may act is decided here. */
const staff = ['administrator', 'teacher']

/** Runs \`handler\` for staff; others are told that the page is not theirs. */
function forStaff(handler: RouteHandler): RouteHandler {
  return (context) => {
    const { viewer } = context
    if (viewer?.type === 'employee' && viewer.roles.some((role) => staff.includes(role))) return handler(context)
    return withStatus(403, html\`<main class="page"><p class="notice">This page is for staff.</p></main>\`)
  }
}

export default defineModule({
  routes: {
    'GET /': forStaff(async ({ db, services }) => {
      const notes = await db.rows<Note>(sql\`select id, text from notes order by id desc limit 50\`)
      const grades = await services.education.grades.list({})
      return html\`<main class="page">
        <h1>Notes</h1>
        <p class="muted">\${grades.total} grades</p>
        <ul>\${notes.map(({ text }) => html\`<li>\${text}</li>\`)}</ul>
        <form class="form" method="post" action="/m/${slug}/notes">
          <label class="field">Note <input name="text"></label>
          <button class="button">Add</button>
        </form>
      </main>\`
    }),
    'POST /notes': forStaff(async ({ body, db }) => {
      const text = (body.text ?? '').trim().slice(0, 500)
      if (text !== '') await db.execute(sql\`insert into notes (id, text) values (\${newId()}, \${text})\`)
      return redirect('/')
    }),
  },
})
`,
  'migrations/2026_01_01_000001_create_notes.sql': `-- The platform adds the school to every key and hides other schools' rows.
create table notes (
  id char(26) primary key,
  text text not null,
  written_at timestamptz not null default now()
);
`,
  [`test/${slug}.test.ts`]: `import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestTenant } from '@partner/sdk/testing'

const tenant = await startTestTenant({ module: new URL('..', import.meta.url) })
after(() => tenant.stop())

test('a note that was added is listed', async () => {
  const { status } = await tenant.invoke('/notes', { as: 'teacher', data: { text: 'Bring the books' } })
  assert.equal(status, 303)
  const { text } = await tenant.invoke('/', { as: 'teacher' })
  assert.match(text, /Bring the books/)
})

test('pupils and guardians neither read notes nor add any', async () => {
  for (const as of ['student1', 'guardian1']) {
    assert.equal((await tenant.invoke('/', { as })).status, 403)
    assert.equal((await tenant.invoke('/notes', { as, data: { text: 'No homework' } })).status, 403)
  }
})
`,
})

const notification = (slug: string): Files => ({
  'src/index.ts': `import { defineModule } from '@partner/sdk'

export default defineModule({
  notificationProvider: {
    send: async ({ payload }) => ({ ok: false, error: \`${slug} does not deliver to \${payload.channel} yet\` }),
    supports: (channel) => channel === 'sms',
    isConfigured: () => false,
  },
})
`,
})

const payment = (slug: string): Files => ({
  'src/index.ts': `import { defineModule } from '@partner/sdk'

const refused = {
  status: 'failed',
  provider_reference: '',
  failure_code: 'not_configured',
  failure_message: '${slug} takes no payments yet',
} as const

export default defineModule({
  paymentProvider: {
    charge: async () => refused,
    refund: async () => refused,
    supports: (currency) => currency === 'SAR',
    isConfigured: () => false,
  },
})
`,
})

/** What a new module is made of besides its manifest. */
export const newSources: Record<ModuleType, (slug: string) => Files> = {
  embedded,
  external,
  notification,
  payment,
}
