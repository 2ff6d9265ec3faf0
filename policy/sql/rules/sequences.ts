import { fieldsOf, stringsOf } from '../ast.ts'
import type { GuardContext } from '../guard-context.ts'
import { refuse } from '../refused.ts'
import { ownSchema } from './names.ts'

/** Options of a sequence, or of an identity column, which has one. Only these; it belongs to a column of the module's own. */
export function sequenceOptions(
  options: readonly unknown[],
  allowed: ReadonlySet<string>,
  context: GuardContext,
): void {
  for (const option of options) {
    const element = fieldsOf(option, 'DefElem')
    const name = String(element?.defname)
    if (!allowed.has(name)) refuse('sequence', `sequence option ${name}`)
    if (name === 'owned_by') ownedBy(stringsOf(fieldsOf(element?.arg, 'List')?.items), context)
  }
}

function ownedBy(parts: (string | undefined)[], context: GuardContext): void {
  if (parts.length > 3) refuse('name', 'OWNED BY has too many qualifiers')
  if (parts.length === 3) ownSchema(parts[0], context)
}
