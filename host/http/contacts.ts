import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { ulid } from 'ulid'
import {
  contactBodyLimit,
  type ContactFields,
  contactFields,
  contactsPerDay,
  contactsPerMinute,
} from '../../partner-services/contacts/submission.ts'
import { InvalidInputException, ServiceError } from '../../partner-services/service/errors.ts'
import { errorMapOf, messagesByField } from '../../partner-services/service/messages.ts'
import { lastMinuteOfDay, minuteOf, secondsLeft, secondsLeftOfDay } from '../../partner-services/service/minute.ts'
import { networkOf } from '../sessions/network.ts'
import { localeOf } from './locale.ts'

export type Contact = ContactFields & { id: string; created_at: string }

/** Appends what was sent. Throws `rate_limited` where the address sent too much in this minute, or all of them in this day. */
export type AppendContact = (address: string, fields: ContactFields) => Promise<Contact>

/** Whose count of the day is that of all addresses. */
const everyAddress = 'all'

/** Exact over all processes. A host whose clock is behind counts in the later minute. */
const counting = (row: string) => `insert into core.address_counts as c (address, minute, used) ${row}
    on conflict (address) do update set minute = greatest(c.minute, excluded.minute),
      used = case when c.minute >= excluded.minute then c.used + 1 else 1 end
    returning used`

/** One statement counts the address, and below its limit the day, and appends only below that one's limit. */
const append = `with counted as (${counting('values ($1, $2, 1)')}),
    today as (${counting('select $3, $4, 1 from counted where used <= $5')}),
    kept as (insert into core.contact_submissions (id, submission, created_at)
      select $6, $7, $8 from today where used <= $9 returning id)
  select used <= $5 as in_minute, exists (select from kept) as in_day from counted`

export const contactStore =
  (systemPool: pg.Pool, clock: () => Date): AppendContact =>
  async (address, fields) => {
    const [now, id] = [clock(), ulid()]
    const { rows } = await systemPool.query<{ in_minute: boolean; in_day: boolean }>({
      name: 'append-contact',
      text: append,
      values: [
        ...[networkOf(address), minuteOf(now), everyAddress, lastMinuteOfDay(now), contactsPerMinute],
        ...[id, JSON.stringify(fields), now, contactsPerDay],
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
