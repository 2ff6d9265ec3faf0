// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of a module
/** A module as a partner would write it: routes in files, a repository class, guards, translations, a panel, tools, egress. */
export const trips: Readonly<Record<string, string>> = {
  'manifest.json': JSON.stringify({
    moduleId: 'trips',
    displayName: { ar: 'الرحلات', en: 'Trips' },
    version: '1.2.0',
    category: 'education',
    description: 'Trips, consent of guardians, and the weather on the day.',
    integrationType: 'embedded',
    scopes: [
      { key: 'education.students.read', required: true, reason: 'Names on the list of a trip' },
      { key: 'education.guardians.read', required: false, reason: 'Whom to ask for consent' },
      { key: 'employees.directory.read', required: true, reason: 'Who leads the trip' },
    ],
    notifications: [
      {
        key: 'trips.consent.asked',
        display_name: { ar: 'طلب موافقة', en: 'Consent asked' },
        variables: { trip: 'string' },
      },
    ],
    egress: [
      {
        host: 'api.weather.example',
        methods: ['GET'],
        purpose: 'The weather on the day of a trip',
        personal_data: false,
      },
    ],
    account_types: [{ key: 'staff', kind: 'primary', roles: ['teacher'], web_route: 'trips.index' }],
  }),
  'src/index.ts': `import { defineModule, panel, stat, action, tool, html } from '@partner/sdk'
import { tripRoutes } from './routes/trips.ts'
import * as consents from './routes/consents.ts'
import { guarded } from './lib/guard.ts'
import { TripRepository } from './lib/repository.ts'

export default defineModule({
  routes: {
    ...tripRoutes,
    'GET /consents/:id': guarded(['teacher'], consents.show),
    'POST /consents/:id': guarded(['teacher', 'principal'], consents.ask),
  },
  studentProfile: {
    next: panel({
      title: { ar: 'الرحلة القادمة', en: 'Next trip' }, permission: 'trips.list.read', order: 30, zone: 'Sidebar',
      render: async ({ studentHashid, services, db, locale }) => {
        const student = await services.education.students.byHashid(studentHashid)
        const next = await new TripRepository(db, services).nextOf(student.id)
        return next ? html\`<p>\${next.title} — \${new Intl.DateTimeFormat(locale).format(new Date(next.starts_on))}</p>\` : html\`<p>—</p>\`
      },
    }),
    taken: stat({ label: 'Trips', permission: 'trips.list.read', color: 'primary', value: async ({ studentHashid, services, db }) => {
      const { id } = await services.education.students.byHashid(studentHashid)
      return (await new TripRepository(db, services).countOf(id)) ?? 0
    } }),
    remind: action({ label: 'Remind', permission: 'trips.list.write', event: 'remind', params: {}, run: async ({ notify, viewer }) => {
      if (viewer?.type === 'employee') await notify('trips.consent.asked', { trip: 'x' }, [])
    } }),
  },
  tools: [tool({
    name: 'trips.list.read', description: 'The trips of a month', parameters: { type: 'object', properties: { month: { type: 'string' } } },
    requiredScopes: ['education.students.read'],
    handler: async ({ input, db }) => ({ trips: await new TripRepository(db).ofMonth(String(input.month)) }),
  })],
  events: { 'education.students.updated': async ({ event, db }) => TripRepository.forget(db, event.data.student.id) },
})
`,
  'src/routes/trips.ts': `import { html, json, redirect, sql, notFound, type Context } from '@partner/sdk'
import { guarded } from '../lib/guard.ts'
import { page } from '../lib/layout.ts'
import { TripRepository, type Trip } from '../lib/repository.ts'
import { t } from '../lib/texts.ts'

const perPage = 20

async function index(ctx: Context) {
  const { db, query, locale } = ctx
  const number = Math.max(1, Number(query.page ?? 1) || 1)
  const trips = await db.rows<Trip>(sql\`select * from trips where title ilike \${\`%\${query.search ?? ''}%\`} order by starts_on limit \${perPage} offset \${(number - 1) * perPage}\`)
  if (query.format === 'json') return json({ trips, page: number })
  return page({ ...ctx, title: t(locale, 'trips') }, html\`<ul>\${trips.map((trip) => row(trip, locale))}</ul>\`)
}

const row = (trip: Trip, locale: string) => html\`<li class="\${trip.seats > 0 ? 'open' : 'full'}"><a href="/m/trips/\${trip.id}">\${trip.title}</a> \${t(locale, 'seats')}: \${trip.seats}</li>\`

async function show({ db, services, params, fetch, log, locale, ...rest }: Context) {
  const repository = new TripRepository(db, services)
  const trip = await repository.find(Number(params.id))
  if (!trip) return notFound()
  const [leader, students] = await Promise.all([services.employees.directory.get({ id: trip.leader_id }), repository.participants(trip)])
  const sorted = [...students].sort((a, b) => a.full_name.localeCompare(b.full_name, locale))
  const response = await fetch(\`https://api.weather.example/day/\${trip.starts_on}\`).catch((error) => { log.warn('weather', String(error)); return null })
  const weather = response?.ok ? await response.json() : undefined
  const byGrade = Object.groupBy(sorted, (student) => student.grade_id)
  const counts = Object.entries(byGrade).map(([grade, members]) => ({ grade, count: members?.length ?? 0 })).filter((entry) => entry.count > 1)
  return page({ locale, ...rest, title: trip.title }, html\`<h1>\${trip.title}</h1><p>\${leader.full_name} \${weather?.summary ?? ''} \${counts.length}</p>\${sorted.map((s) => html\`<li>\${s.full_name}</li>\`)}\`)
}

export const tripRoutes = {
  'GET /': guarded(['teacher'], index),
  'GET /:id': show,
  'POST /': guarded(['principal'], async ({ db, body, services }) => {
    const found = await services.employees.directory.list({ search: String(body.leader), per_page: 1 })
    const leader = found.data.at(0)
    if (!leader || found.total < 1) return json({ error: t('en', 'noLeader') }, 422)
    await db.transaction(async (tx) => {
      await tx.execute(sql\`insert into trips (title, leader_id, seats) values (\${body.title}, \${leader.id}, \${Number(body.seats)})\`)
    })
    return redirect('/')
  }),
}
`,
  'src/routes/consents.ts': `import { html, json, sql, type Handler } from '@partner/sdk'
import { chunk } from '../lib/chunk.ts'

export const show: Handler = async ({ db, params }) => {
  const rows = await db.rows<{ given: boolean }>(sql\`select given from consents where trip_id = \${params.id}\`)
  const given = rows.reduce((count, row) => count + (row.given ? 1 : 0), 0)
  return html\`<p>\${given} / \${rows.length}</p>\`
}

export const ask: Handler = async ({ services, notify, db, params }) => {
  const guardians = []
  for (let page = 1, last = 1; page <= last; page++) {
    const answer = await services.education.guardians.list({ page, per_page: 100 })
    guardians.push(...answer.data)
    last = answer.last_page
  }
  for (const group of chunk(guardians, 50)) {
    await notify('trips.consent.asked', { trip: params.id }, group.map((guardian) => guardian.id))
  }
  const seen = new Map(guardians.map((guardian) => [guardian.id, guardian]))
  await db.execute(sql\`update trips set asked = \${seen.size} where id = \${params.id}\`)
  return json({ asked: seen.size })
}
`,
  'src/lib/guard.ts': `import { json, type Handler } from '@partner/sdk'

/** Lets only viewers of these roles in. */
export function guarded(roles: readonly string[], handler: Handler): Handler {
  return async (ctx) => {
    const allowed = ctx.viewer?.roles?.some((role) => roles.includes(role)) ?? false
    return allowed ? handler(ctx) : json({ error: 'forbidden' }, 403)
  }
}
`,
  'src/lib/layout.ts': `import { html, type Context } from '@partner/sdk'
import { direction } from './texts.ts'

type Page = Pick<Context, 'locale'> & { title: string }

export const page = ({ locale, title }: Page, body: unknown) => html\`<main dir="\${direction(locale)}"><h1>\${title}</h1>\${body}</main>\`
`,
  'src/lib/texts.ts': `const texts = { ar: { trips: 'الرحلات', seats: 'المقاعد', noLeader: 'لا قائد' }, en: { trips: 'Trips', seats: 'Seats', noLeader: 'No leader' } } as const
type Key = keyof (typeof texts)['en']

export const t = (locale: string, key: Key): string => (locale.startsWith('ar') ? texts.ar : texts.en)[key]
export const direction = (locale: string) => (locale.startsWith('ar') ? 'rtl' : 'ltr')
`,
  'src/lib/chunk.ts': `export function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}
`,
  'src/lib/repository.ts': `import { sql, type Database, type Services, type Student, type Ulid } from '@partner/sdk'

export interface Trip { id: number; title: string; starts_on: string; seats: number; leader_id: Ulid }

/** Everything the module keeps about trips. */
export class TripRepository {
  readonly #db: Database
  constructor(db: Database, private readonly services?: Services) {
    this.#db = db
  }
  static async forget(db: Database, id: Ulid) {
    await db.execute(sql\`delete from participants where student_id = \${id}\`)
  }
  async find(id: number): Promise<Trip | null> {
    return this.#db.row<Trip>(sql\`select * from trips where id = \${id}\`)
  }
  async ofMonth(month: string): Promise<Trip[]> {
    return this.#db.rows<Trip>(sql\`select * from trips where to_char(starts_on, 'YYYY-MM') = \${month}\`)
  }
  async nextOf(studentId: Ulid) {
    const trips = await this.#db.rows<Trip>(sql\`select t.* from trips t join participants p on p.trip_id = t.id where p.student_id = \${studentId}\`)
    return trips.filter((trip) => trip.starts_on >= today()).sort((a, b) => a.seats - b.seats || a.id - b.id)[0]
  }
  async countOf(studentId: Ulid) {
    const row = await this.#db.row<{ count: number }>(sql\`select count(*)::int as count from participants where student_id = \${studentId}\`)
    return row?.count
  }
  async participants(trip: Trip): Promise<Student[]> {
    const rows = await this.#db.rows<{ student_id: Ulid }>(sql\`select student_id from participants where trip_id = \${trip.id}\`)
    const students = await Promise.all(rows.map(({ student_id }) => this.services!.education.students.get({ id: student_id })))
    return students.filter((student) => student.id !== trip.leader_id)
  }
}

const today = () => new Date().toISOString().slice(0, 10)
`,
}
