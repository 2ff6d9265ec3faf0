import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Contact } from '../http/contacts.ts'
import { parseRequest } from '../http/parse-request.ts'
import type { WebContext } from '../web/context.ts'

const query = z.strictObject({
  /** The id of the last one of the page before. */
  after: z.string().default(''),
  /** Of 64 KiB each. */
  limit: z.coerce.number().int().min(1).max(100).default(100),
})

/** One page, by id, which is the order in which they came. `next` asks for the page after it; null where there is none. */
export type ContactsPage = { contacts: Contact[]; next: string | null }

/** What was sent to the contacts endpoint, as it was answered. */
export function registerContactsExport(server: FastifyInstance, { system }: WebContext): void {
  server.get('/contacts', async (request): Promise<ContactsPage> => {
    const { after, limit } = parseRequest(query, request.query)
    const { rows } = await system.query<{ id: string; submission: object; created_at: Date }>(
      'select id, submission, created_at from core.contact_submissions where id > $1 order by id limit $2',
      [after, limit],
    )
    const contacts = rows.map(
      ({ id, submission, created_at }) => ({ id, ...submission, created_at: created_at.toISOString() }) as Contact,
    )
    return { contacts, next: rows.length < limit ? null : rows.at(-1)!.id }
  })
}
