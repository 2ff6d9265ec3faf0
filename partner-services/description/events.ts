import { z } from 'zod'
import { operations } from '../registry.ts'
import type { Operation } from '../service/operation.ts'

/** An event that apps may subscribe to. */
export type EventDefinition = {
  /** `<feature>.<resource>.<action>`. */
  name: string
  summary: string
  /** Whoever may not read this does not get the event; null where every app concerned does. */
  scope: string | null
  data: z.ZodType
}

/** Events of the platform itself, which no operation emits. */
const platformEvents: EventDefinition[] = [
  {
    name: 'partner.installation.token_rotated',
    summary: 'The installation token was rotated; the old one stays valid for 15 minutes',
    scope: null,
    data: z.object({ new_token: z.string().meta({ example: 'pit_live_…' }) }),
  },
  {
    name: 'partner_scopes.catalog.changed',
    summary: 'The scope catalog changed',
    scope: null,
    data: z.object({ version: z.string().meta({ example: '4f2a9c0b1d3e' }) }),
  },
]

/** Every event there is: those of the operations that change data, and the platform's own. */
export function eventDefinitions(all: readonly Operation[] = operations): EventDefinition[] {
  const emitted = all.flatMap(({ name, event, summary, output }) => {
    if (event === undefined) return []
    const scope = `${name.slice(0, name.lastIndexOf('.'))}.read`
    return [{ name: event, summary: `Emitted by: ${summary.toLowerCase()}`, scope, data: output }]
  })
  return [...emitted, ...platformEvents]
}
