import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ServiceError } from '../../partner-services/service/errors.ts'
import { readOwnLimits } from '../embedded-apps/own-limits.ts'
import {
  describeRange,
  type LimitRange,
  limitRanges,
  type RequestLimits,
  requestLimitNames,
} from '../isolates/limits.ts'
import { untilConfirmed } from '../security/token-epoch.ts'
import type { WebContext } from '../web/context.ts'
import { parseRequest } from '../http/parse-request.ts'

/** A limit as it is for one app: `value` is what holds, `own` is true where an operator set it for this app. */
export type LimitLine = { name: keyof RequestLimits; value: number; own: boolean } & LimitRange
/** `problems`: what is stored and ignored. */
export type AppLimits = { app: string; limits: LimitLine[]; problems: string[] }

function oneLimit(name: keyof RequestLimits) {
  const { min, max } = limitRanges[name]
  const error = `${describeRange(name)}, or null for the default`
  return z.int({ error }).min(min, { error }).max(max, { error }).nullable().optional()
}
/** With a path of its own, which `z.never` would not give it. */
const noLimit = z
  .unknown()
  .refine(() => false, { error: `is no limit of a request; those are ${requestLimitNames.join(', ')}` })
const someLimits = z
  .object(Object.fromEntries(requestLimitNames.map((name) => [name, oneLimit(name)])))
  .catchall(noLimit)

const query = z.strictObject({ app: z.string() })
/** `null` for `limits` puts all of them back. */
const change = z.strictObject({ app: z.string(), limits: someLimits.nullable() })

type Stored = { limits: Record<string, unknown> }

/** What a request of one app may use. When a change is answered, every web process goes by it. */
export function registerLimits(server: FastifyInstance, { system }: WebContext): void {
  server.get('/limits', async (request) => {
    const { app } = parseRequest(query, request.query)
    const { rows } = await system.query<Stored>('select limits from core.apps where slug = $1', [app])
    return show(app, rows[0])
  })
  server.post('/limits', async (request) => {
    const { app, limits } = parseRequest(change, request.body)
    const given = Object.entries(limits ?? {})
    const set = Object.fromEntries(given.filter(([, value]) => value !== null))
    const putBack = given.filter(([, value]) => value === null).map(([name]) => name)
    const { rows } = await system.query<Stored>(
      `update core.apps set limits = case when $2 then '{}' else (limits || $3::jsonb) - $4::text[] end where slug = $1
        returning limits`,
      [app, limits === null, JSON.stringify(set), putBack],
    )
    await untilConfirmed(system)
    return show(app, rows[0])
  })
}

function show(app: string, stored: Stored | undefined): AppLimits {
  if (!stored) throw new ServiceError('not_found')
  const { own = {}, problems } = readOwnLimits(stored.limits)
  const limits = requestLimitNames.map((name) => ({
    name,
    value: own[name] ?? limitRanges[name].default,
    own: own[name] !== undefined,
    ...limitRanges[name],
  }))
  return { app, limits, problems }
}
