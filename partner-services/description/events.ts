import { z } from 'zod'
import { operations } from '../registry.ts'
import { catalogChanged, scopeOfEvent, tokenRotated, webhookPing } from '../service/event-names.ts'
import type { Operation } from '../service/operation.ts'

/** An event that apps receive. */
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
    name: tokenRotated,
    summary: 'The installation token was rotated; the old one stays valid for 15 minutes',
    scope: null,
    data: z.object({ new_token: z.string().meta({ example: 'pit_live_…' }) }),
  },
  {
    name: catalogChanged,
    summary: 'The scope catalog changed',
    scope: null,
    data: z.object({ version: z.string().meta({ example: '4f2a9c0b1d3e' }) }),
  },
]

/** What a reviewed version's webhook URL is tried with. It is of no school, and nobody subscribes to it. */
export const pingDefinition: EventDefinition = {
  name: webhookPing,
  summary: 'Sent while a version is reviewed: its webhook URL must answer 2xx; `tenant_id` is 0',
  scope: null,
  data: z.object({}),
}

/** Every event there is: those of the operations that change data, and the platform's own. */
export function eventDefinitions(all: readonly Operation[] = operations): EventDefinition[] {
  const emitted = all.flatMap(({ event: name, summary, output }) =>
    name === undefined
      ? []
      : [{ name, summary: `Emitted by: ${summary.toLowerCase()}`, scope: scopeOfEvent(name), data: output }],
  )
  return [...emitted, ...platformEvents]
}
