import type { Caller } from './caller.ts'
import { InvalidInputException, type Locale, MissingScopeException } from './errors.ts'
import { errorMapOf, messagesByField } from './messages.ts'
import type { Operation } from './operation.ts'
import type { Idempotency, OperationResponse, Ports, UnitOfWork } from './ports.ts'

type CallContext = { caller: Caller; ports: Ports; idempotency?: Idempotency | null }

/**
 * The only place where a handler runs: scope, then input, then handler, then output. Both doors end here.
 * All of it is the database's unit of work, which has sent nothing yet when a caller is refused: so that refusals
 * are counted, and stored under their idempotency key, like other answers.
 */
export async function callOperation(
  operation: Operation,
  input: unknown,
  context: CallContext,
): Promise<OperationResponse> {
  const { caller, ports } = context
  const run = async (unit: UnitOfWork): Promise<OperationResponse> => {
    requireScope(operation, caller)
    const parsed = parseInput(operation, input, caller.locale)
    const output = await operation.handler({ ...unit, input: parsed, caller, ports })
    recordAccess(operation, output, context)
    return { status: operation.status, body: operation.serialize(output) }
  }
  if (!operation.writes) return await ports.database.read(caller, run)
  const response = await ports.database.write(caller, context.idempotency ?? null, run)
  // What is shown again is accessed again; a refusal shows nothing.
  if (response.replayed && response.status === operation.status)
    recordAccess(operation, JSON.parse(response.body), context)
  return response
}

function recordAccess({ name, touched }: Operation, output: unknown, { caller, ports }: CallContext): void {
  if (touched) ports.recordAccess(caller, name, touched(output))
}

function requireScope(operation: Operation, caller: Caller): void {
  if (operation.scope !== null && !caller.scopes.has(operation.scope)) throw new MissingScopeException(operation.scope)
}

function parseInput(operation: Operation, input: unknown, locale: Locale): unknown {
  const parsed = operation.input.safeParse(input, errorMapOf(locale))
  if (parsed.success) return parsed.data
  throw new InvalidInputException(messagesByField(parsed.error, locale))
}
