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

type NameHint = (column: string) => boolean

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
  const needs = new Map<string, number>()
  const labels = new Map(earlier.map((reference) => [placeOf(reference), reference]))
  const given = new Set<string>()
  const unfit = new Set<string>()
  const complaints: ReferenceComplaint[] = []

  // The last word on a column counts, as in the database.
  for (const [statement, tree] of trees.entries()) {
    const [top, fields] = unwrap(tree) ?? ['', {}]
    for (const { pktable } of foreignKeys(top, fields)) {
      const referenced = String((pktable as Fields | undefined)?.relname)
      if (isElsewhere(referenced)) complaints.push(unreachable(statement, referenced))
    }
    for (const { place, isNew, fits, looksLike } of columnsOf(top, fields, hinted)) {
      if (isNew) labels.delete(place)
      if (fits) unfit.delete(place)
      else unfit.add(place)
      if (looksLike) needs.set(place, statement)
      else needs.delete(place)
    }
    if (top !== 'CommentStmt' || fields.objtype !== 'OBJECT_COLUMN') continue
    const [table = '', column = ''] = stringsOf(fieldsOf(fields.object, 'List')?.items).slice(-2)
    const place = placeOf({ table, column })
    const comment = String(fields.comment ?? '')
    const label = /^core_reference:([a-z][a-z0-9_]*)$/.exec(comment)?.[1]
    if (!comment.startsWith('core_reference')) {
      if (hinted(column) || labels.has(place)) needs.set(place, statement)
      labels.delete(place)
    } else if (!label) {
      complaints.push(complaint(statement, `${place}: the label ${comment} is not core_reference:<table>`))
    } else if (!coreTables.has(label)) {
      complaints.push(complaint(statement, `${place}: there is no platform table ${label}`))
    } else if (unfit.has(place)) {
      complaints.push({ statement, reason: `${place} cannot hold a platform identifier`, mend: 'make it char(26)' })
    } else {
      labels.set(place, { table, column, references: label })
      given.add(place)
    }
  }

  // Laravel adds keys in statements of their own.
  const ownKeys = new Set(trees.flatMap((tree) => ownKeysOf(tree, hinted)))
  for (const [place, statement] of needs) {
    if (labels.has(place) || ownKeys.has(place)) continue
    complaints.push(complaint(statement, `${place} looks like a platform identifier and carries no label`, place))
  }
  return { references: [...labels.values()].filter((reference) => given.has(placeOf(reference))), complaints }
}

const placeOf = ({ table, column }: { table: string; column: string }): string => `${table}.${column}`

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
function nameHint(coreTables: ReadonlySet<string>): NameHint {
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

type Column = {
  readonly place: string
  readonly isNew: boolean
  /** Whether its type can hold an identifier. */
  readonly fits: boolean
  readonly looksLike: boolean
}

/** The columns that a statement makes, and those that it gives another type. */
function columnsOf(top: string, fields: Fields, hinted: NameHint): Column[] {
  const table = String((fields.relation as Fields | undefined)?.relname)
  const read = (definition: Fields, column: string, isNew: boolean): Column => {
    const fits = holdsText(definition.typeName as Fields | undefined)
    const looksLike = fits && looksLikeIdentifier(definition, column, table, hinted)
    return { place: placeOf({ table, column }), isNew, fits, looksLike }
  }
  if (top === 'CreateStmt')
    return fieldsOfAll(fields.tableElts, 'ColumnDef').map((column) => read(column, String(column.colname), true))
  if (top !== 'AlterTableStmt') return []
  return fieldsOfAll(fields.cmds, 'AlterTableCmd').flatMap(({ subtype, def, name }) => {
    const definition = fieldsOf(def, 'ColumnDef')
    if (definition && subtype === 'AT_AddColumn') return [read(definition, String(definition.colname), true)]
    return definition && subtype === 'AT_AlterColumnType' ? [read(definition, String(name), false)] : []
  })
}

function looksLikeIdentifier(definition: Fields, column: string, table: string, hinted: NameHint): boolean {
  const kinds = fieldsOfAll(definition.constraints, 'Constraint').map(({ contype }) => contype)
  if (kinds.includes('CONSTR_FOREIGN')) return false
  if (kinds.includes('CONSTR_PRIMARY') && isOwnKey(column, table, hinted)) return false
  return isUlidType(definition.typeName as Fields | undefined) || hinted(column)
}

/** A key of the module's own, as `id`, or `section_id` of a table `sections` that is the module's. */
const isOwnKey = (column: string, table: string, hinted: NameHint): boolean =>
  !hinted(column) || nameHint(new Set([table]))(column)

const otherTypes = new Set(
  `int2 int4 int8 smallserial serial bigserial serial2 serial4 serial8 numeric float4 float8 money bool uuid date time
  timetz timestamp timestamptz interval`.split(/\s+/),
)

function holdsText(type: Fields | undefined): boolean {
  const name = stringOf(listOf(type?.names).at(-1)) ?? ''
  const length = lengthOf(type)
  return !otherTypes.has(name) && (length === undefined || length >= 26)
}

function isUlidType(type: Fields | undefined): boolean {
  const name = stringOf(listOf(type?.names).at(-1))
  return (name === 'bpchar' || name === 'varchar') && lengthOf(type) === 26
}

function lengthOf(type: Fields | undefined): number | undefined {
  const length = (fieldsOf(listOf(type?.typmods)[0], 'A_Const')?.ival as Fields | undefined)?.ival
  return typeof length === 'number' ? length : undefined
}

/** `table.column` of each column in a key within the module: its own identifiers. */
function ownKeysOf(tree: Fields, hinted: NameHint): string[] {
  const create = fieldsOf(tree, 'CreateStmt')
  const alter = fieldsOf(tree, 'AlterTableStmt')
  const constraints = create
    ? fieldsOfAll(create.tableElts, 'Constraint')
    : fieldsOfAll(alter?.cmds, 'AlterTableCmd').flatMap(({ def }) => fieldsOfAll([def], 'Constraint'))
  const table = String(((create ?? alter)?.relation as Fields | undefined)?.relname)
  const columns = constraints.flatMap(({ contype, keys, fk_attrs }) => {
    if (contype === 'CONSTR_FOREIGN') return stringsOf(fk_attrs)
    const ofKey = contype === 'CONSTR_PRIMARY' ? stringsOf(keys) : []
    return ofKey.filter((column) => isOwnKey(column ?? '', table, hinted))
  })
  return columns.map((column) => placeOf({ table, column: column ?? '' }))
}
