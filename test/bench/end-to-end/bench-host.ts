import type pg from 'pg'
import { embeddedSuperuser } from '../../host/embedded-superuser.ts'
import { signIn } from '../../host/browser.ts'
import { writeModule } from '../../host/module-folder.ts'
import { runPartner, type StartedHost, startHostProcess, temporaryFolder } from '../../host/started-host.ts'

type Tenant = {
  id: string
  users: { username: string; password: string }[]
  installations: { app: string; token: string }[]
}

export type BenchHost = {
  url: string
  tenant: string
  /** Headers of a signed-in employee's browser. */
  browser: Record<string, string>
  /** Headers of the bench's own module at the runtime API: an installation without a rate limit. */
  api: Record<string, string>
  /** Ids of students, of the module's own records. */
  students: string[]
  notes: string[]
  /** For arranging what no door offers. */
  superuser: pg.ClientConfig
  process: StartedHost['process']
  stop(): Promise<void>
}

const migration = 'create table notes (id char(26) primary key, title text not null, body text not null);\n'

const source = `import { defineModule, json, newId, sql } from '@partner/sdk'
export default defineModule({
  routes: {
    'GET /students/:id': async ({ services, params }) => json(await services.education.students.get({ id: params.id! })),
    'GET /notes/:id': async ({ db, params }) =>
      json(await db.row(sql\`select id, title, body from notes where id = \${params.id!}\`)),
    'GET /fill': async ({ db }) => {
      const ids = Array.from({ length: 500 }, newId)
      await db.execute(sql\`insert into notes (id, title, body) select id, 'A title', 'A body of some words' from unnest(\${ids}::text[]) as id\`)
      return json(ids)
    },
    'GET /hello': async ({ services }) => json(await services.education.students.list({ per_page: 1 })),
    'GET /burn': async () => {
      for (const end = Date.now() + 120; Date.now() < end; );
      return json(true)
    },
  },
})
`

/** Works until its second of CPU is used up, so nobody ever vouches for it: it stays on the quarantine runner. */
const endless = `import { defineModule } from '@partner/sdk'
export default defineModule({
  routes: {
    'GET /': async () => {
      for (;;) {
        for (const end = Date.now() + 120; Date.now() < end; );
        await new Promise((go) => setTimeout(go, 0))
      }
    },
  },
})
`

/** A host with one module of the bench's own, published and installed, and somebody signed in. */
export async function startBenchHost(settings: Record<string, string> = {}): Promise<BenchHost> {
  const folder = temporaryFolder()
  const sources = temporaryFolder()
  const host = await startHostProcess(folder.path, ['--no-samples'], settings)
  const stop = async () => {
    await host.stop()
    folder.remove()
    sources.remove()
  }
  try {
    const prepared = await prepare(host.url, sources.path)
    return { ...prepared, superuser: embeddedSuperuser(folder.path), process: host.process, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepare(url: string, sources: string): Promise<Omit<BenchHost, 'superuser' | 'process' | 'stop'>> {
  const partner = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await runPartner([...args, '--json', '--url', url]).ended
    if (code !== 0) throw new Error(`partner ${args[0]}: ${stdout}${stderr}`)
    return JSON.parse(stdout)
  }
  const sandbox = async () => ((await partner('sandbox')) as { tenants: [Tenant] }).tenants[0]
  const files = { 'src/index.ts': source, 'migrations/2026_11_01_090000_create_notes.sql': migration }
  const { id: tenant, users } = await sandbox()
  await partner('publish', writeModule(sources, 'bench', files, { scopes: ['education.students.read'] }), '--approve')
  await partner('publish', writeModule(sources, 'endless', { 'src/index.ts': endless }), '--approve')
  for (const slug of ['bench', 'endless']) await partner('install', slug, '--tenant', tenant, '--yes')
  const { token } = (await sandbox()).installations.find(({ app }) => app === 'bench')!
  const { cookie } = await signIn(url, users.find(({ username }) => username === 'teacher')!)
  const browser = { cookie, accept: 'application/json' }
  const api = { authorization: `Bearer ${token}` }
  const get = async (path: string, headers: Record<string, string>) => (await fetch(url + path, { headers })).json()
  const { data } = (await get('/apps/education/students?per_page=100', api)) as { data: { id: string }[] }
  const notes = (await get('/m/bench/fill', browser)) as string[]
  return { url, tenant, browser, api, students: data.map(({ id }) => id), notes }
}
