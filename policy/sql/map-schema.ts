/**
 * Module SQL names its schema `m_<slug>`, or none. In the sandbox it runs in `s_<slug>`: unqualified names follow the
 * role's search_path, qualified ones are changed in the tree here. Each change reports the byte where the name stands,
 * so that a run-time text can be edited in place.
 */
import type { Fields } from './ast.ts'
import { fieldsOf, listOf, literalOf, locationOf, stringNode, stringOf, stringsOf } from './ast.ts'
import { sequenceFunctions } from './functions.ts'

export type SchemaMap = {
  readonly from: string
  readonly to: string
  readonly changed: (byte: number | undefined) => void
}

export function mapSchema(tree: unknown, map: SchemaMap): void {
  if (Array.isArray(tree)) {
    for (const item of tree) mapSchema(item, map)
    return
  }
  if (typeof tree !== 'object' || tree === null) return
  const fields = tree as Fields
  mapNode(fields, map)
  for (const key in fields) mapSchema(fields[key], map)
}

function mapNode(node: Fields, map: SchemaMap): void {
  if (node.schemaname === map.from) {
    node.schemaname = map.to
    map.changed(locationOf(node))
  }
  mapParts(node.names, 2, node, map)
  mapParts(node.fields, 3, node, map)
  mapSequence(fieldsOf(node, 'FuncCall'), map)
  mapObjects(node, map)
}

function mapParts(parts: unknown, length: number, node: Fields, map: SchemaMap): void {
  if (!Array.isArray(parts) || parts.length !== length || stringOf(parts[0]) !== map.from) return
  parts[0] = stringNode(map.to)
  map.changed(locationOf(node))
}

function mapSequence(call: Fields | undefined, map: SchemaMap): void {
  if (!call || !sequenceFunctions.has(stringsOf(call.funcname).at(-1) ?? '')) return
  const argument = listOf(call.args)[0]
  const name = literalOf(argument)
  const constant = fieldsOf(argument, 'A_Const')
  if (!constant || !name?.startsWith(`${map.from}.`)) return
  constant.sval = { sval: `${map.to}.${name.slice(map.from.length + 1)}` }
  const at = locationOf(constant)
  map.changed(at === undefined ? undefined : at + 1)
}

/** Names that the grammar gives as bare lists of words: DROP, RENAME, COMMENT, OWNED BY, CREATE and ALTER TYPE. */
function mapObjects(node: Fields, map: SchemaMap): void {
  const drop = fieldsOf(node, 'DropStmt')
  for (const object of listOf(drop?.objects)) mapItems(object, 2, map)
  const rename = fieldsOf(node, 'RenameStmt')
  if (rename) mapItems(rename.object, 2, map)
  const comment = fieldsOf(node, 'CommentStmt')
  if (comment) mapItems(comment.object, comment.objtype === 'OBJECT_COLUMN' ? 3 : 2, map)
  const option = fieldsOf(node, 'DefElem')
  if (option?.defname === 'owned_by') mapItems(option.arg, 3, map)
  for (const type of ['CreateEnumStmt', 'AlterEnumStmt']) {
    const fields = fieldsOf(node, type)
    if (fields) mapParts(fields.typeName, 2, fields, map)
  }
}

function mapItems(object: unknown, length: number, map: SchemaMap): void {
  const list = fieldsOf(object, 'List')
  if (list) mapParts(list.items, length, list, map)
}
