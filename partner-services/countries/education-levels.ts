import { z } from 'zod'
import { defineOperation } from '../service/operation.ts'
import { listQuery, pageOf, ulid } from '../service/schemas.ts'
import { among, sharedHitsOf } from '../service/search.ts'
import { and, sql } from '../service/sql.ts'

const countryCode = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .transform((code) => code.toUpperCase())
  .meta({ description: 'ISO 3166-1, two letters', example: 'SA' })

const educationLevel = z
  .object({
    id: ulid,
    country_code: z.string().meta({ example: 'SA' }),
    name_ar: z.string().meta({ example: 'المرحلة الابتدائية' }),
    name_en: z.string().meta({ example: 'Primary' }),
    position: z.int().meta({ description: 'Order within the country', example: 1 }),
  })
  .meta({ id: 'EducationLevel' })

/** The levels of education of every country, or of one. */
export const listEducationLevels = defineOperation({
  name: 'countries.education_levels.list',
  scope: 'countries.education_levels.read',
  summary: 'List education levels',
  http: { method: 'GET', path: '/countries/education-levels' },
  input: listQuery.extend({ country_code: countryCode.optional() }),
  output: pageOf(educationLevel),
  touched: null,
  handler: ({ db, input }) =>
    db.page<z.input<typeof educationLevel>>(input, {
      columns: sql`id, country_code, name_ar, name_en, position`,
      from: sql`core.education_levels`,
      where: sql`true${and(
        among(sharedHitsOf('education_levels', input.search)),
        input.country_code && sql`country_code = ${input.country_code}`,
      )}`,
    }),
})
