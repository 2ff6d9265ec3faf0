import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPartnerClient, type PartnerClient, type Student } from '@partner/client'
import { createWebhookListener, type Webhook } from '@partner/client/webhooks'

export type Registrar = {
  url: string
  /** The mirror: the school's students by id. */
  students: ReadonlyMap<string, Student>
  /** Waits until the mirror satisfies `condition`. */
  until(condition: (students: ReadonlyMap<string, Student>) => boolean, limit?: number): Promise<void>
  /** Reads all students page by page, as an app does after installing. */
  load(): Promise<void>
  /** Sends a correction to the school. */
  rename(id: string, fullName: string): Promise<Student>
  token(): string
  close(): Promise<void>
}

export type RegistrarOptions = { baseUrl: string; token: string; webhookSecret: string; port?: number }

const clientOf = (baseUrl: string, token: string): PartnerClient => createPartnerClient({ baseUrl, token })

/**
 * A sample external app: it mirrors a school's students. It loads them once over the runtime API and follows the
 * webhooks from then on. Webhooks can come twice and out of order, so the later `created_at` wins.
 */
export async function startRegistrar(options: RegistrarOptions): Promise<Registrar> {
  let { token } = options
  let client = clientOf(options.baseUrl, token)
  const students = new Map<string, Student>()
  const changedAt = new Map<string, string>()
  let changed = () => {}

  function take(student: Student, at: string): void {
    if ((changedAt.get(student.id) ?? '') > at) return
    students.set(student.id, student)
    changedAt.set(student.id, at)
  }

  function onWebhook({ event, data, created_at: at }: Webhook): void {
    if (event === 'education.students.created' || event === 'education.students.updated') {
      take(data.student as Student, at)
    }
    if (event === 'partner.installation.token_rotated') {
      token = data.new_token as string
      client = clientOf(options.baseUrl, token)
    }
    changed()
  }

  const server = createServer(createWebhookListener({ secret: options.webhookSecret, onWebhook }))
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    students,
    token: () => token,
    async load() {
      const startedAt = new Date().toISOString()
      for await (const student of client.education.students.all()) take(student, startedAt)
    },
    rename: async (id, fullName) => (await client.education.students.update({ id, full_name: fullName })).student,
    until: (condition, limit = 10_000) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`the mirror holds ${students.size} students`)), limit)
        changed = () => {
          if (!condition(students)) return
          clearTimeout(timer)
          changed = () => {}
          resolve()
        }
        changed()
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
