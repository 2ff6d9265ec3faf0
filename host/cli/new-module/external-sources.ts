/** An app that its partner hosts: a server which follows the school's students, and its test. The platform takes the manifest. */
export const external = (slug: string): Record<string, string> => ({
  'server/app.ts': `import { createPartnerClient, type Student } from '@partner/client'
import { createWebhookListener, type Webhook } from '@partner/client/webhooks'

export type Settings = { baseUrl: string; token: string; webhookSecret: string }

/** The school's students by id: read once, then kept up to date by webhooks. Yours belong into a database. */
export function createApp({ baseUrl, token, webhookSecret }: Settings) {
  let client = createPartnerClient({ baseUrl, token })
  const students = new Map<string, Student>()
  const changedAt = new Map<string, string>()

  // Webhooks can come twice and out of order: the later change wins.
  function take(student: Student, at: string): void {
    if ((changedAt.get(student.id) ?? '') > at) return
    students.set(student.id, student)
    changedAt.set(student.id, at)
  }

  function onWebhook({ event, created_at: at, data }: Webhook): void {
    if (event.startsWith('education.students.')) take(data.student as Student, at)
    // The old token ends 15 minutes later: keep the new one where you keep your secrets.
    if (event === 'partner.installation.token_rotated')
      client = createPartnerClient({ baseUrl, token: data.new_token as string })
  }

  return {
    students,
    /** For \`createServer\` of node:http. It verifies each webhook and handles it once. */
    listener: createWebhookListener({ secret: webhookSecret, onWebhook }),
    /** Reads all students, page by page. */
    async load(): Promise<void> {
      const startedAt = new Date().toISOString()
      for await (const student of client.education.students.all()) take(student, startedAt)
    },
  }
}
`,
  'server/main.ts': `import { createServer } from 'node:http'
import { createApp } from './app.ts'

const { BASE_URL: baseUrl = 'http://127.0.0.1:4400/apps', PORT = '4500' } = process.env
const { TOKEN: token, WEBHOOK_SECRET: webhookSecret } = process.env
if (!token || !webhookSecret) throw new Error('TOKEN and WEBHOOK_SECRET are not set: README.md says where they come from')
const app = createApp({ baseUrl, token, webhookSecret })
createServer(app.listener).listen(Number(PORT), () => console.log(\`webhooks: http://127.0.0.1:\${PORT}/webhooks\`))
await app.load()
console.log(\`\${app.students.size} students\`)
`,
  [`test/${slug}.test.ts`]: `import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createApp } from '../server/app.ts'

const student = { id: '01J60000000000000000STDT01', full_name: 'Amal' }

/** A server on a free port, until the tests end. Answers with its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  after(() => server.close().closeAllConnections())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\`
}

const platform = await serve((_request, response) => {
  response.end(JSON.stringify({ data: [student], total: 1, per_page: 100, current_page: 1, last_page: 1 }))
})
const app = createApp({ baseUrl: \`\${platform}/apps\`, token: 'token', webhookSecret: 'secret' })
const url = await serve(app.listener)

/** Sends what the platform would, signed with this secret. Answers with the status. */
async function send(secret: string, full_name: string): Promise<number> {
  const event = 'education.students.updated'
  const at = new Date().toISOString()
  const body = JSON.stringify({ id: full_name, event, tenant_id: 1, created_at: at, data: { student: { ...student, full_name } } })
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const headers = {
    'x-platform-event': event,
    'x-platform-delivery-id': full_name,
    'x-platform-timestamp': timestamp,
    'x-platform-signature': createHmac('sha256', secret).update(\`\${timestamp}.\${body}\`).digest('hex'),
  }
  return (await fetch(url, { method: 'POST', headers, body })).status
}

test('students are read once and follow the webhooks; a forged one changes nothing', async () => {
  await app.load()
  assert.equal(app.students.get(student.id)?.full_name, 'Amal')
  assert.equal(await send('secret', 'Amal B'), 200)
  assert.equal(await send('forged', 'Nobody'), 401)
  assert.equal(app.students.get(student.id)?.full_name, 'Amal B')
})
`,
  'README.md': `# ${slug}

An app that you host yourself: it reads a school's students over the runtime API and follows them by webhooks.

| file | for |
|---|---|
| \`manifest.json\` | what the platform knows of the app: scopes, the address of its webhooks, their events |
| \`server/\` | your server: \`app.ts\` is the app, \`main.ts\` starts it with the settings of its environment |
| \`test/\` | its tests |

\`\`\`
npm install         # needs no registry but for the type check
npm test            # Node 22.18 or later
npm run check       # types
npm start           # with the settings below
\`\`\`

\`partner publish\` sends this folder without \`server/\` and \`test/\`: nothing of them runs at the platform.

| setting | |
|---|---|
| \`BASE_URL\` | the runtime API, ending in \`/apps\`; \`http://127.0.0.1:4400/apps\` unless given |
| \`TOKEN\` | the installation's token, shown once where a school installs the app |
| \`WEBHOOK_SECRET\` | \`partner credentials ${slug}\` makes one and shows it once |
| \`PORT\` | 4500 unless given |

Keep token and secret on your server. A webhook is handled once in 20 minutes, also where the platform sends it again; if
several servers answer at one address, give \`createWebhookListener\` a memory that they share (\`seen\`, see its type).
`,
})
