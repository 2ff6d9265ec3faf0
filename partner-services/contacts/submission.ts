import { z } from 'zod'
import { named } from '../service/messages.ts'
import { instant, isStorable, isStorableJson, mayBeUnfilled, text, ulid } from '../service/schemas.ts'

const anything = z.record(z.string(), z.unknown()).refine(isStorableJson, named('storable'))

/** What anybody may send to the contacts endpoint. Source: specification, contacts endpoint. */
export const contactFields = z.object({
  wa_id: text(32).meta({ example: '966501234567' }),
  phone: mayBeUnfilled(text(32)).meta({ example: '+966501234567' }),
  name: mayBeUnfilled(text(120)).meta({ example: 'ليلى' }),
  email: mayBeUnfilled(z.email().max(180)).meta({ example: 'layla@example.org' }),
  language: mayBeUnfilled(z.string().length(2).refine(isStorable, named('storable'))).meta({ example: 'ar' }),
  profile: mayBeUnfilled(anything).meta({ example: { city: 'Jeddah' } }),
  custom_fields: mayBeUnfilled(anything).meta({ example: { source: 'landing' } }),
})

export const contactAnswer = z.object({
  contact: contactFields.extend({ id: ulid, created_at: instant }).meta({ id: 'Contact' }),
})

export type ContactFields = z.output<typeof contactFields>

/** Requests of one address, of IPv6 one /64, in a calendar minute. */
export const contactsPerMinute = 20

/** Of all addresses in a calendar day (UTC): what anybody may fill has a bound, here 60 GB before the first of it is removed. */
export const contactsPerDay = 10_000

/** Of one address, of IPv6 one /48, in such a day: one customer alone closes the endpoint to himself, not to everybody. */
export const contactsPerAddressAndDay = contactsPerDay / 4

/** In bytes. Source: decisions.md, contacts. */
export const contactBodyLimit = 64 * 1024
