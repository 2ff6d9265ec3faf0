import { takeText } from '../isolates/client/guest-text.ts'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from './parse.ts'
import { findPerson } from './people.ts'

const invocation = z.object({
  slug: z.string(),
  /** A path below `/m/<slug>`, or the name of a tool. */
  target: z.string().default('/'),
  method: z.enum(['GET', 'POST']).default('GET'),
  tenant: z.string().optional(),
  as: z.string().default('administrator'),
  data: z.unknown().optional(),
})

/** One call into a module, with what it logged and used. */
export function registerInvoke(server: FastifyInstance, context: WebContext): void {
  const { system, modules, moduleCalls, moduleLog } = context
  server.post('/invoke', async (request) => {
    const { slug, target, method, tenant, as, data } = parseRequest(invocation, request.body)
    const person = await findPerson(context, { tenantId: tenant, username: as })
    if (!person) throw new ServiceError('not_found')
    const installation = await modules.find(person.tenantId, slug)
    if (!installation) throw new ServiceError('not_found')
    const [path = '/', search = ''] = target.split('?')
    const isRoute = target.startsWith('/')
    const answer = await moduleCalls.call({
      installation,
      viewer: person.viewer,
      locale: 'en',
      entry: isRoute ? 'route' : 'tool',
      input: isRoute
        ? {
            method,
            path,
            query: Object.fromEntries(new URLSearchParams(search)),
            body: data ?? {},
            headers: {},
            viewer: person.viewer,
            locale: 'en',
            settings: installation.settings,
          }
        : { name: target, input: data ?? {}, viewer: person.viewer, locale: 'en', settings: installation.settings },
    })
    await moduleLog.flush()
    const { rows } = await system.query(
      'select level, message from core.module_log where tenant_id = $1 and invocation_id = $2 order by position',
      [installation.tenant.id, answer.invocationId],
    )
    const used = { cpu_ms: answer.cpuMs, service_calls: answer.serviceCalls }
    const text = answer.ok ? takeText(answer) : ''
    return answer.ok
      ? { ok: true, status: statusOf(text), text, invocation_id: answer.invocationId, log: rows, used }
      : { ok: false, status: answer.status, error: answer.code, invocation_id: answer.invocationId, log: rows, used }
  })
}

/** The status a browser would see: the SDK's answers begin with their kind and status. */
function statusOf(text: string): number {
  if (text.startsWith('r')) return 303
  if (text.startsWith('n')) return 404
  return Number(/^[hj](\d{3})/.exec(text)?.[1] ?? 200)
}
