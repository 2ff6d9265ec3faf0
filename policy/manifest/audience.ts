import { z } from 'zod'
import { text } from './fields.ts'
import { unique } from './unique.ts'

/** Who may open the app: exactly one target, at least one surface. */
export const accountType = z
  .strictObject({
    key: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, 'lowercase letters, digits and underscores'),
    kind: z.enum(['primary', 'dependent']),
    roles: z
      .array(text(1, 80))
      .min(1)
      .check(unique((role) => role))
      .optional(),
    portal: z.enum(['student', 'guardian']).optional(),
    web_route: z
      .string()
      .max(120)
      .regex(/^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/, "the name of one of the module's routes, not an address")
      .optional(),
    mobile_entry: text(1, 200).optional(),
    custom: z.literal(true).optional(),
  })
  .check((context) => {
    const { roles, portal, web_route: route, mobile_entry: mobile, custom } = context.value
    const add = (path: string, message: string) =>
      context.issues.push({ code: 'custom', path: [path], message, input: context.value })
    if ((roles === undefined) === (portal === undefined)) add('roles', 'exactly one of roles and portal')
    if (route === undefined && mobile === undefined) add('web_route', 'at least one of web_route and mobile_entry')
    if (custom && portal !== undefined) add('custom', 'custom role keys make no sense for a portal')
  })

export const accountTypes = z
  .array(accountType)
  .max(20)
  .check(unique((entry) => entry.key))
