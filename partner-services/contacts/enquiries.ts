import { z } from 'zod'
import type { WritableResource } from '../service/resource.ts'
import { email, instant, mayBeUnfilled, phone, text, ulid } from '../service/schemas.ts'
import { sql } from '../service/sql.ts'

/** What people ask a school. Listed and created, never changed. Another store than that of the contacts endpoint. */
export const enquiries: WritableResource = {
  name: 'contacts.enquiries',
  noun: ['enquiry', 'enquiries'],
  path: '/contacts/enquiries',
  table: 'enquiries',
  wrapper: 'enquiry',
  columns: sql`id, name, phone, email, message, created_at`,
  record: z
    .object({
      id: ulid,
      name: z.string().meta({ example: 'ليلى' }),
      phone: z.string().nullable().meta({ description: 'E.164', example: '+966501234567' }),
      email: z.string().nullable().meta({ example: 'layla@example.org' }),
      message: z.string().meta({ example: 'متى يبدأ التسجيل؟' }),
      created_at: instant,
    })
    .meta({ id: 'Enquiry' }),
  fields: z.object({
    name: text(120).meta({ example: 'ليلى' }),
    phone: mayBeUnfilled(phone),
    email: mayBeUnfilled(email),
    message: text(4_000).meta({ example: 'متى يبدأ التسجيل؟' }),
  }),
}
