import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { ulid } from 'ulid'
import {
  contactBodyLimit,
  type ContactFields,
  contactFields,
  contactsPerAddressAndDay,
  contactsPerDay,
  contactsPerMinute,
} from '../../partner-services/contacts/submission.ts'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { errorMapOf, messagesByField } from '../../partner-services/service/messages.ts'
import { lastMinuteOfDay, minuteOf, secondsLeft, secondsLeftOfDay } from '../../partner-services/service/minute.ts'
import { networkOf } from '../sessions/network.ts'
import { localeOf } from './locale.ts'

export type Contact = ContactFields & { id: string; created_at: string }

/** Appends what was sent. Throws `rate_limited` where the address sent too much in this minute, or in this day, or all of them did. */
export type AppendContact = (address: string, fields: ContactFields) => Promise<Contact>

/** Whose count of the day is that of all addresses. */
const everyAddress = 'all'

/** Exact over all processes. A host whose clock is behind counts in the later minute. */
const counting = (row: string) => `insert into core.address_counts as c (address, minute, used) ${row}
    on conflict (address) do update set minute = greatest(c.minute, excluded.minute),
      used = case when c.minute >= excluded.minute then c.used + 1 else 1 end
    returning used`

/** One statement counts the address, then its day, then the day of all, each only below the limit before, and appends below the last. */
const append = `with counted as (${counting('values ($1, $3, 1)')}),
    its_day as (${counting('select $2, $4, 1 from counted where used <= $6')}),
    today as (${counting('select $5, $4, 1 from its_day where used <= $7')}),
    kept as (insert into core.contact_submissions (id, submission, created_at)
      select $9, $10, $11 from today where used <= $8 returning id)
  select used <= $6 as in_minute, exists (select from kept) as in_day from counted`

export const contactStore =
  (systemPool: pg.Pool, clock: () => Date): AppendContact =>
  async (address, fields) => {
    const [now, id] = [clock(), ulid()]
    const { rows } = await systemPool.query<{ in_minute: boolean; in_day: boolean }>({
      name: 'append-contact',
      text: append,
      values: [
        ...[networkOf(address), `day of ${networkOf(address, 48)}`, minuteOf(now), lastMinuteOfDay(now), everyAddress],
        ...[contactsPerMinute, contactsPerAddressAndDay, contactsPerDay],
        ...[id, JSON.stringify(fields), now],
      ],
    })
    const { in_minute, in_day } = rows[0]!
    if (!in_minute) throw new ServiceError('rate_limited', { retryAfter: secondsLeft(now) })
    if (!in_day) throw new ServiceError('rate_limited', { retryAfter: secondsLeftOfDay(now) })
    return { id, ...fields, created_at: now.toISOString() }
  }

/** The contacts endpoint: unauthenticated, so it answers with nothing but what the request itself said. */
export function registerContacts(
  server: FastifyInstance,
  options: { contactsPath: string; append: AppendContact },
): void {
  server.post(`${options.contactsPath}/api/v1/contacts`, { bodyLimit: contactBodyLimit }, async (request, reply) => {
    const locale = localeOf(request.headers['accept-language'])
    const parsed = contactFields.safeParse(request.body ?? {}, errorMapOf(locale))
    if (!parsed.success) throw new InvalidInputException(messagesByField(parsed.error, locale))
    const contact = await options.append(request.ip, parsed.data)
    return reply.status(201).send({ contact })
  })
}
