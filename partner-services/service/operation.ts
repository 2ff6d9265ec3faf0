import type { z } from 'zod'
import type { Caller } from './caller.ts'
import type { Ports, UnitOfWork } from './ports.ts'
import { compileSerializer } from './serializer.ts'

export type HttpBinding = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: `/${string}` }

export type HandlerContext<Input> = UnitOfWork & { input: Input; caller: Caller; ports: Ports }

/** One thing a caller can do. Everything else (route, bridge, description, SDK, scan) is derived from it. */
export type OperationDefinition<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> = {
  /** `<feature>.<resource>.<verb>`; a module calls `services.<feature>.<resource>.<verb>(input)`. */
  name: string
  /** Key of the scope catalog, or null where the token alone is enough. */
  scope: string | null
  /** One sentence for the reference page. */
  summary: string
  /** What the summary cannot say. */
  description?: string
  http: HttpBinding
  /** Path, query and body as one object. */
  input: Input
  output: Output
  /** Status of success; 200 unless given. */
  status?: number
  /** The event that a change emits; its `data` is the output. */
  event?: string
  /** False for a write that takes no idempotency key. Source: decisions.md, idempotency. */
  idempotent?: boolean
  /** Ids of the records that the answer shows, for the access log; null where it shows none of the school's. */
  touched?: ((output: z.input<Output>) => string[]) | null
  handler(context: HandlerContext<z.output<Input>>): Promise<z.input<Output>>
}

export type Operation = Omit<OperationDefinition, 'handler' | 'touched' | 'status' | 'idempotent'> & {
  status: number
  /** True where an `Idempotency-Key` is taken. */
  idempotent: boolean
  /** Writes run in one transaction and may carry an idempotency key. */
  writes: boolean
  touched: ((output: unknown) => string[]) | null
  handler(context: HandlerContext<unknown>): Promise<unknown>
  /** The answer as JSON text: fields that are not in `output` do not leave. */
  serialize(output: unknown): string
}

export function defineOperation<Input extends z.ZodType, Output extends z.ZodType>(
  definition: OperationDefinition<Input, Output>,
): Operation {
  const { touched = idsOf, status = 200, handler } = definition
  let serializer: ((output: unknown) => string) | undefined
  return {
    ...definition,
    status,
    writes: definition.http.method !== 'GET',
    idempotent: definition.http.method !== 'GET' && definition.idempotent !== false,
    touched: touched as Operation['touched'],
    handler: handler as Operation['handler'],
    serialize(output) {
      serializer ??= compileSerializer(definition.output)
      return serializer(output)
    },
  }
}

/** Ids of a page's items, or of the one wrapped record. */
function idsOf(output: unknown): string[] {
  const { data } = output as { data?: unknown }
  const records = Array.isArray(data) ? data : Object.values(output as object)
  return records.flatMap((record) => (typeof record?.id === 'string' ? [record.id as string] : []))
}

/** True where a field of the input may be wrong. An id in a path is not: one that is none is absent. */
export const takesFields = ({ input }: Pick<Operation, 'input'>): boolean =>
  Object.keys((input as z.ZodObject).shape).some((field) => field !== 'id')
