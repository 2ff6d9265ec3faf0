import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'
import { listQuery, pageOf, ulid } from '../service/schemas.ts'
import { among, sharedHitsOf } from '../service/search.ts'
import { and, sql } from '../service/sql.ts'

const country = z
  .object({
    id: ulid,
    code: z.string().meta({ description: 'ISO 3166-1, two letters', example: 'SA' }),
    name_ar: z.string().meta({ example: 'المملكة العربية السعودية' }),
    name_en: z.string().meta({ example: 'Saudi Arabia' }),
    calling_code: z.string().meta({ example: '+966' }),
    timezone: z
      .string()
      .nullable()
      .meta({ description: 'The single time zone; null where there are several', example: 'Asia/Riyadh' }),
  })
  .meta({ id: 'Country' })

/** The platform's countries: the same for every tenant. */
export const listCountries = defineOperation({
  name: 'countries.directory.list',
  scope: 'countries.directory.read',
  summary: 'List countries',
  http: { method: 'GET', path: '/countries/directory' },
  input: listQuery,
  output: pageOf(country),
  touched: null,
  handler: ({ db, input }) =>
    db.page<z.input<typeof country>>(input, {
      columns: sql`id, code, name_ar, name_en, calling_code, timezone`,
      from: sql`core.countries`,
      where: sql`true${and(among(sharedHitsOf('countries', input.search)))}`,
    }),
})
