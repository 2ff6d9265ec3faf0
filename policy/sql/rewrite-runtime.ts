import type { Fields } from './ast.ts'
import { fieldsOf, listOf } from './ast.ts'
import { emitStatement, parseAllowed, readsAs } from './emit.ts'
import { mapSchema } from './map-schema.ts'
import type { AllowedStatement } from './result.ts'
import { tenantColumn } from './rules/names.ts'
import { tenantElement } from './tenant-keys.ts'

export type RuntimeRewriteOptions = { readonly schema: string; readonly runSchema?: string }

/** `rows`: answers rows. `command`: answers a count. */
export type RuntimeStatement = { readonly text: string; readonly kind: 'rows' | 'command' }

type Edit = { at: number; remove: RegExp | undefined; insert: string }

/**
 * The text to send for one statement that passed the guard with profile `runtime`. Only two things are ever changed:
 * `ON CONFLICT (email)` becomes `(tenant_id, email)`, since every unique key begins with the tenant, and
 * `m_<slug>.` becomes the schema in which the statement runs. Everything else goes to the server as written.
 */
export function rewriteRuntimeStatement(statement: AllowedStatement, options: RuntimeRewriteOptions): RuntimeStatement {
  const kind = statement.tags.includes('rows') ? 'rows' : 'command'
  const run = options.runSchema ?? options.schema
  const moved = run !== options.schema && statement.tags.includes('qualified')
  if (!moved && !statement.tags.includes('conflict_target')) return { text: statement.text, kind }

  const tree = parseAllowed(statement.text)
  const edits: Edit[] = []
  leadConflictTargets(tree, edits)
  if (moved) {
    const name = new RegExp(`^(?:${options.schema}|"${options.schema}")`, 'i')
    const changed = (at = -1) => edits.push({ at, remove: name, insert: run })
    mapSchema(tree, { from: options.schema, to: run, changed })
  }
  if (edits.length === 0) return { text: statement.text, kind }
  const edited = applyEdits(statement.text, edits)
  // A name written in an unusual way (U&"…", a comment inside) is not found: then the tree is written out anew.
  return { text: edited !== undefined && readsAs(edited, tree) ? edited : emitStatement(tree), kind }
}

function leadConflictTargets(tree: unknown, edits: Edit[]): void {
  if (Array.isArray(tree)) {
    for (const item of tree) leadConflictTargets(item, edits)
    return
  }
  if (typeof tree !== 'object' || tree === null) return
  const fields = tree as Fields
  for (const key in fields) leadConflictTargets(fields[key], edits)
  const infer = (fields.onConflictClause as Fields | undefined)?.infer as Fields | undefined
  const elements = listOf(infer?.indexElems)
  if (!infer || elements.length === 0) return
  if (elements.some((element) => fieldsOf(element, 'IndexElem')?.name === tenantColumn)) return
  infer.indexElems = [tenantElement(), ...elements]
  edits.push({ at: Number(infer.location) + 1, remove: undefined, insert: `${tenantColumn}, ` })
}

/** From the end to the beginning, so that earlier places keep their bytes. */
function applyEdits(text: string, edits: readonly Edit[]): string | undefined {
  let bytes = Buffer.from(text)
  for (const edit of edits.toSorted((a, b) => b.at - a.at)) {
    if (edit.at < 0) return undefined
    const rest = bytes.subarray(edit.at).toString()
    const removed = edit.remove === undefined ? '' : edit.remove.exec(rest)?.[0]
    if (removed === undefined) return undefined
    bytes = Buffer.concat([bytes.subarray(0, edit.at), Buffer.from(edit.insert + rest.slice(removed.length))])
  }
  return bytes.toString()
}
