/**
 * The `core_reference` rule. A platform identifier (a ULID of 26 characters) in a module's table is followed by the
 * platform at erasure, merging and export only if its column says so: `comment on column loans.student_id is
 * 'core_reference:students'`, in the migration that makes the column.
 */
import type { Fields } from '../sql/ast.ts'
import { fieldsOf, fieldsOfAll, listOf, stringOf, stringsOf, unwrap } from '../sql/ast.ts'

export type CoreReference = { readonly table: string; readonly column: string; readonly references: string }

/** `statement` is the place in the list of trees that the complaint is about. */
export type ReferenceComplaint = { readonly statement: number; readonly reason: string; readonly mend: string }

type Found = { statement: number; table: string; column: string }

/**
 * `earlier` are the labels that other migrations gave: a comment may not take one off again. `knownTables` are the module's
 * own: a foreign key to another is none.
 */
export function readCoreReferences(
  trees: readonly Fields[],
  coreTables: ReadonlySet<string>,
  earlier: readonly CoreReference[] = [],
  knownTables: ReadonlySet<string> = new Set(),
): { references: CoreReference[]; complaints: ReferenceComplaint[] } {
  const hinted = nameHint(coreTables)
  const own = new Set([...knownTables, ...trees.flatMap(createdTable)])
  const isElsewhere = (table: string) => coreTables.has(table) && !own.has(table)
  const labelledBefore = new Set(earlier.map(({ table, column }) => `${table}.${column}`))
  const needs: Found[] = []
  const references: CoreReference[] = []
  const complaints: ReferenceComplaint[] = []

  for (const [statement, tree] of trees.entries()) {
    const [top, fields] = unwrap(tree) ?? ['', {}]
    for (const { pktable } of foreignKeys(top, fields)) {
      const referenced = String((pktable as Fields | undefined)?.relname)
      if (isElsewhere(referenced)) complaints.push(unreachable(statement, referenced))
    }
    if (top === 'CreateStmt') needs.push(...columnsOfTable(fields, statement, hinted))
    if (top === 'AlterTableStmt') needs.push(...columnsOfAlter(fields, statement, hinted))
    if (top !== 'CommentStmt' || fields.objtype !== 'OBJECT_COLUMN') continue
    const [table = '', column = ''] = stringsOf(fieldsOf(fields.object, 'List')?.items).slice(-2)
    const comment = String(fields.comment ?? '')
    const label = /^core_reference:([a-z][a-z0-9_]*)$/.exec(comment)?.[1]
    if (label && coreTables.has(label)) references.push({ table, column, references: label })
    else if (label) complaints.push(complaint(statement, `${table}.${column}: there is no platform table ${label}`))
    else if (comment.startsWith('core_reference')) {
      complaints.push(complaint(statement, `${table}.${column}: the label ${comment} is not core_reference:<table>`))
    } else if (hinted(column) || labelledBefore.has(`${table}.${column}`)) needs.push({ statement, table, column })
  }

  // Laravel adds keys in statements of their own.
  const ownKeys = new Set(trees.flatMap(ownKeysOf))
  const labelled = new Set(references.map(({ table, column }) => `${table}.${column}`))
  for (const { statement, table, column } of needs) {
    const place = `${table}.${column}`
    if (labelled.has(place) || ownKeys.has(place)) continue
    complaints.push(complaint(statement, `${place} looks like a platform identifier and carries no label`, place))
  }
  return { references, complaints }
}

function complaint(statement: number, reason: string, place = '<table>.<column>'): ReferenceComplaint {
  const mend = `add: comment on column ${place} is 'core_reference:<platform table>', or make it this module's own key`
  return { statement, reason, mend }
}

function unreachable(statement: number, table: string): ReferenceComplaint {
  const reason = `a foreign key to ${table}: the platform's tables are in no module's schema`
  const mend = `leave the foreign key out, and add: comment on column <table>.<column> is 'core_reference:${table}'`
  return { statement, reason, mend }
}

const createdTable = (tree: Fields): string[] => {
  const create = fieldsOf(tree, 'CreateStmt')
  return create ? [String((create.relation as Fields).relname)] : []
}

/** Those of a table's columns, of the table itself, and of what ALTER TABLE adds. */
function foreignKeys(top: string, fields: Fields): Fields[] {
  const elements = top === 'CreateStmt' ? listOf(fields.tableElts) : []
  const added = top === 'AlterTableStmt' ? fieldsOfAll(fields.cmds, 'AlterTableCmd').map(({ def }) => def) : []
  const parts = [...elements, ...added]
  const ofColumns = fieldsOfAll(parts, 'ColumnDef').flatMap(({ constraints }) => fieldsOfAll(constraints, 'Constraint'))
  return [...ofColumns, ...fieldsOfAll(parts, 'Constraint')].filter(({ contype }) => contype === 'CONSTR_FOREIGN')
}

/** True for `student_id`, `class_teacher_id`, `student_ids` when `students` and `teachers` are platform tables. */
function nameHint(coreTables: ReadonlySet<string>): (column: string) => boolean {
  const words = new Set(
    [...coreTables].flatMap((table) => [
      table,
      table.replace(/ies$/, 'y'),
      table.replace(/e?s$/, ''),
      table.replace(/s$/, ''),
    ]),
  )
  return (column) => {
    const stem = /^(.+?)_?u?l?ids?$/.exec(column)?.[1]
    return stem !== undefined && [...words].some((word) => stem === word || stem.endsWith(`_${word}`))
  }
}

function columnsOfTable(create: Fields, statement: number, hinted: (column: string) => boolean): Found[] {
  const table = String((create.relation as Fields).relname)
  return fieldsOfAll(create.tableElts, 'ColumnDef')
    .filter((column) => holdsIdentifier(column, hinted))
    .map(({ colname }) => ({ statement, table, column: String(colname) }))
}

function columnsOfAlter(alter: Fields, statement: number, hinted: (column: string) => boolean): Found[] {
  const table = String((alter.relation as Fields).relname)
  return fieldsOfAll(alter.cmds, 'AlterTableCmd').flatMap((command) => {
    const definition = fieldsOf(command.def, 'ColumnDef')
    const added = command.subtype === 'AT_AddColumn'
    if (!definition || (!added && command.subtype !== 'AT_AlterColumnType')) return []
    const column = String(added ? definition.colname : command.name)
    return holdsIdentifier({ ...definition, colname: column }, hinted) ? [{ statement, table, column }] : []
  })
}

function holdsIdentifier(column: Fields, hinted: (column: string) => boolean): boolean {
  const kinds = listOf(column.constraints).map((node) => fieldsOf(node, 'Constraint')?.contype)
  if (kinds.includes('CONSTR_PRIMARY') || kinds.includes('CONSTR_FOREIGN')) return false
  return isUlidType(column.typeName as Fields | undefined) || hinted(String(column.colname))
}

function isUlidType(type: Fields | undefined): boolean {
  const name = stringOf(listOf(type?.names).at(-1))
  const length = (fieldsOf(listOf(type?.typmods)[0], 'A_Const')?.ival as Fields | undefined)?.ival
  return (name === 'bpchar' || name === 'varchar') && length === 26
}

/** `table.column` of each column in a primary or foreign key within the module: its own identifiers. */
function ownKeysOf(tree: Fields): string[] {
  const create = fieldsOf(tree, 'CreateStmt')
  const alter = fieldsOf(tree, 'AlterTableStmt')
  const constraints = create
    ? fieldsOfAll(create.tableElts, 'Constraint')
    : fieldsOfAll(alter?.cmds, 'AlterTableCmd').flatMap(({ def }) => fieldsOfAll([def], 'Constraint'))
  const table = String(((create ?? alter)?.relation as Fields | undefined)?.relname)
  return constraints.flatMap(keyColumns).map((column) => `${table}.${column}`)
}

function keyColumns(constraint: Fields): string[] {
  const primary = constraint.contype === 'CONSTR_PRIMARY'
  if (!primary && constraint.contype !== 'CONSTR_FOREIGN') return []
  return stringsOf(primary ? constraint.keys : constraint.fk_attrs).flatMap((name) => name ?? [])
}
