import { z } from 'zod'
import { bilingual, permissionKey, sign, text } from './fields.ts'

const label = z.union([text(1, 120), bilingual(120)])
const order = z.int().default(100)
const icon = sign(40).optional()
const name = text(1, 80).optional()

const panel = z.strictObject({
  kind: z.literal('panel'),
  title: label,
  permission: permissionKey,
  order,
  zone: z.enum(['Main', 'Sidebar']).default('Main'),
  icon,
  description: label.optional(),
  key: name,
})
const stat = z.strictObject({
  kind: z.literal('stat'),
  label,
  permission: permissionKey,
  order,
  icon,
  color: text(1, 20).optional(),
  key: name,
})
/** Browsers drop or turn some characters: with one of them no address is what it looks like. */
const leadsAway = /^[a-z][a-z0-9+.-]*:|^\/\/|[\\\s\u0000-\u001f\u007f]/i

const action = z
  .strictObject({
    kind: z.literal('action'),
    label,
    permission: permissionKey,
    url: text(1, 500).optional(),
    event: text(1, 80).optional(),
    params: z.record(z.string(), z.json()).optional(),
    order,
    variant: text(1, 20).optional(),
    icon,
    key: name,
  })
  .check((context) => {
    const { url, event, params } = context.value
    const add = (path: string, message: string) =>
      context.issues.push({ code: 'custom', path: [path], message, input: context.value })
    if (url === undefined && event === undefined) add('url', 'url or event is needed')
    if (params !== undefined && event === undefined) add('params', 'params go with event only')
    if (url !== undefined && leadsAway.test(url)) add('url', "a path of the app's own pages")
  })

/** What a module adds to a student's page; found in the module by the host, and checked like what is declared. */
export const studentProfile = z.array(z.discriminatedUnion('kind', [panel, stat, action])).max(30)
