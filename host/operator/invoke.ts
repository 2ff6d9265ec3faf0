import { parse } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { ulid } from '../../partner-services/service/schemas.ts'
import type { ModuleAnswer } from '../embedded-apps/module-calls.ts'
import { parseRequest } from '../http/parse-request.ts'
import { takeText } from '../isolates/client/guest-text.ts'
import { readFields } from '../pages/fields.ts'
import { type JudgedAnswer, judgeAnswer } from '../pages/judge-answer.ts'
import { isMobile } from '../pages/mobile-path.ts'
import type { Sanitiser } from '../pages/sanitise/sanitiser.ts'
import type { WebContext } from '../web/context.ts'
import { findPerson } from './people.ts'

const invocation = z.object({
  slug: z.string(),
  /** A path below `/m/<slug>`, or the name of a tool. */
  target: z.string().default('/'),
  method: z.enum(['GET', 'POST']).default('GET'),
  tenant: ulid.optional(),
  /** A user name; the school's administrator unless given. */
  as: z.string().optional(),
  /** A form's fields, or a tool's input. */
  data: z.unknown().optional(),
})
const formFields = z.record(z.string(), z.unknown())

/** One call into a module, with what it logged and used. */
export function registerInvoke(server: FastifyInstance, context: WebContext, sanitiser: Sanitiser): void {
  const { system, modules, moduleCalls, moduleLog } = context
  server.post('/invoke', async (request) => {
    const { slug, target, method, tenant, as, data } = parseRequest(invocation, request.body)
    const person = await findPerson(context, { tenantId: tenant, username: as })
    if (!person) {
      const who = as === undefined ? 'administrator' : `user ${as}`
      throw new InvalidInputException({ as: [`${tenant ?? 'the first sandbox school'} has no ${who}`] })
    }
    const installation = await modules.find(person.tenantId, slug)
    if (!installation) throw new InvalidInputException({ slug: [notInstalled(slug, person.tenantId)] })
    const [path = '/', search = ''] = target.split('?')
    const query = readFields(parse(search), 'en')
    const body = target.startsWith('/') ? readFields(parseRequest(formFields, data), 'en') : null
    const answer = await moduleCalls.call({
      installation,
      viewer: person.viewer,
      locale: 'en',
      entry: body ? 'route' : 'tool',
      input: body
        ? {
            method,
            path: decodedPath(path),
            query: query.fields,
            body: body.fields,
            repeated: method === 'POST' ? body.repeated : query.repeated,
            headers: {},
            viewer: person.viewer,
            locale: 'en',
            settings: installation.settings,
          }
        : { name: target, input: data ?? {}, viewer: person.viewer, locale: 'en', settings: installation.settings },
    })
    const url = `/m/${slug}${body ? target : ''}`
    const at = { tenantId: installation.tenant.id, slug, mobile: body !== null && isMobile(path), url }
    // Its log is read after what is wrong with its answer was written there.
    const seen = answer.ok ? asSeen(await judgeAnswer(sanitiser, at, answer)) : asRefused(answer)
    await moduleLog.flush()
    const { rows } = await system.query(
      'select level, message from core.module_log where tenant_id = $1 and invocation_id = $2 order by position',
      [installation.tenant.id, answer.invocationId],
    )
    const used = { cpu_ms: answer.cpuMs, service_calls: answer.serviceCalls }
    return { ...seen, invocation_id: answer.invocationId, log: rows, used }
  })
}

/** As the pages of a module get theirs. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new InvalidInputException({ target: ['holds a % that begins no escape: write %25'] })
  }
}

const notInstalled = (slug: string, tenantId: string): string =>
  `${slug} is not installed there: partner install ${slug} --tenant ${tenantId}, or name another --tenant`

/** As a browser or a program would see it: safe HTML, JSON, or the path that a redirect leads to. */
function asSeen(page: JudgedAnswer): object {
  switch (page.kind) {
    case 'html':
      return { ok: true, status: page.status, text: page.html }
    case 'json':
      return { ok: true, status: page.status, text: page.json }
    case 'redirect':
      return { ok: true, status: 303, text: page.path }
    case 'not_found':
      return { ok: true, status: 404, text: '' }
    case 'longJson':
      return { ok: true, status: page.status, text: takeText(page).slice(page.start) }
    case 'unusable':
      return { ok: false, status: 500, error: 'internal' }
  }
}

const asRefused = ({ status, code: error, scope, errors }: ModuleAnswer & { ok: false }): object => ({
  ok: false,
  status,
  error,
  scope,
  errors,
})
