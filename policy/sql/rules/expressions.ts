import { listOf, literalOf, locationOf, stringOf, stringsOf } from '../ast.ts'
import { allowedFunctions, isClosedNotation, queryOnlyFunctions, sequenceFunctions } from '../functions.ts'
import type { Fields } from '../ast.ts'
import type { GuardContext, NodeRules } from '../guard-context.ts'
import { systemColumns, valueFunctions } from '../node-lists.ts'
import { refuse } from '../refused.ts'
import { isAllowedType, isCatalogType } from '../types.ts'
import { ownSchema, serverObject } from './names.ts'

export const expressionRules: NodeRules = {
  FuncCall(node, context) {
    const parts = stringsOf(node.funcname)
    const name = parts.at(-1) ?? ''
    const at = locationOf(node)
    serverObject('function', parts, at)
    if (!allowedFunctions.has(name)) refuse('function', `function ${name} is not on the allow-list`, at)
    if (sequenceFunctions.has(name)) ownSequence(name, listOf(node.args)[0], context, at)
    if (!context.isData && queryOnlyFunctions.has(name)) refuse('function', `${name} in a definition`, at)
  },
  A_Expr(node) {
    serverObject('operator', stringsOf(node.name), locationOf(node))
  },
  SubLink(node, context) {
    serverObject('operator', stringsOf(node.operName), locationOf(node))
    if (!context.isData) refuse('ddl_query', 'a sub-query in a definition', locationOf(node))
  },
  SortBy(node) {
    if (listOf(node.useOp).length > 0) refuse('operator', 'ORDER BY … USING', locationOf(node))
  },
  TypeName(node, context) {
    typeName(node, context)
  },
  ColumnRef(node, context) {
    const parts = stringsOf(node.fields)
    const last = parts.at(-1) ?? ''
    const at = locationOf(node)
    if (systemColumns.has(last)) refuse('syscol', `system column ${last}`, at)
    if (parts.length > 1) notFunctional(last, at)
    if (parts.length > 3) refuse('name', 'too many qualifiers', at)
    if (parts.length === 3) ownSchema(parts[0], context, at)
  },
  A_Indirection(node) {
    for (const step of listOf(node.indirection)) {
      const name = stringOf(step) ?? ''
      if (systemColumns.has(name)) refuse('syscol', `system column ${name}`)
      notFunctional(name, undefined)
    }
  },
  SQLValueFunction(node) {
    if (!valueFunctions.has(String(node.op)))
      refuse('function', `${String(node.op).slice(6).toLowerCase()}`, locationOf(node))
  },
  CollateClause(node) {
    serverObject('collation', stringsOf(node.collname), locationOf(node))
  },
}

function notFunctional(name: string, at: number | undefined): void {
  if (isClosedNotation(name)) refuse('notation', `.${name} calls a function`, at)
}

/** `nextval('notes_id_seq')`: the name is text to the grammar, so it is read here. */
function ownSequence(name: string, argument: unknown, context: GuardContext, at: number | undefined): void {
  const written = literalOf(argument)
  const parts = /^(?:([a-z_][a-z0-9_]*)\.)?[a-z_][a-z0-9_$]*$/.exec(written ?? '')
  if (!parts) refuse('function', `${name} needs the plain name of a sequence, as a literal`, at)
  ownSchema(parts[1], context, at)
}

function typeName(node: Fields, context: GuardContext): void {
  const parts = stringsOf(node.names)
  const name = parts.at(-1) ?? ''
  const at = locationOf(node)
  const written = parts.join('.')
  if (node.pct_type) refuse('type', '%TYPE', at)
  if (node.setof) refuse('type', 'SETOF', at)
  if (parts.length > 2) refuse('type', `type ${written}`, at)
  if (parts.length === 2 && parts[0] !== 'pg_catalog') {
    if (parts[0] !== context.schema) refuse('type', `type ${written} is not yours`, at)
    context.tags.add('qualified')
    return
  }
  if (parts.length === 2 ? !isAllowedType(name) : !isAllowedType(name) && isCatalogType(name)) {
    refuse('type', `type ${written}`, at)
  }
  if (/^(small|big)?serial[248]?$/.test(name)) context.tags.add('serial')
}
