import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { ulid } from 'ulid'
import {
  contactBodyLimit,
  type ContactFields,
  contactFields,
  contactsPerMinute,
} from '../../partner-services/contacts/submission.ts'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { errorMapOf, messagesByField } from '../../partner-services/service/messages.ts'
import { minuteOf, secondsLeft } from '../../partner-services/service/minute.ts'
import { networkOf } from '../sessions/network.ts'
import { localeOf } from './locale.ts'

type Contact = ContactFields & { id: string; created_at: string }

/** Appends what was sent; null where the address sent too much in this minute. */
export type AppendContact = (address: string, fields: ContactFields) => Promise<Contact | null>

/**
 * One statement counts the address and appends only below the limit: exact over all processes. A host whose clock is behind
 * counts in the later minute.
 */
const append = `with counted as (
    insert into core.address_counts as c (address, minute, used) values ($1, $2, 1)
    on conflict (address) do update set minute = greatest(c.minute, excluded.minute),
      used = case when c.minute >= excluded.minute then c.used + 1 else 1 end
    returning used)
  insert into core.contact_submissions (id, submission, created_at)
    select $3, $4, $5 from counted where used <= $6 returning id`

export const contactStore =
  (systemPool: pg.Pool, clock: () => Date): AppendContact =>
  async (address, fields) => {
    const [now, id] = [clock(), ulid()]
    const { rowCount } = await systemPool.query({
      name: 'append-contact',
      text: append,
      values: [networkOf(address), minuteOf(now), id, JSON.stringify(fields), now, contactsPerMinute],
    })
    return rowCount ? { id, ...fields, created_at: now.toISOString() } : null
  }

/** The contacts endpoint: unauthenticated, so it answers with nothing but what the request itself said. */
export function registerContacts(
  server: FastifyInstance,
  options: { contactsPath: string; append: AppendContact; clock: () => Date },
): void {
  server.post(`${options.contactsPath}/api/v1/contacts`, { bodyLimit: contactBodyLimit }, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const parsed = contactFields.safeParse(request.body ?? {}, errorMapOf(locale))
    if (!parsed.success) throw new InvalidInputException(messagesByField(parsed.error, locale))
    const contact = await options.append(request.ip, parsed.data)
    if (!contact) throw new ServiceError('rate_limited', { retryAfter: secondsLeft(options.clock()) })
    return reply.status(201).send({ contact })
  })
}
