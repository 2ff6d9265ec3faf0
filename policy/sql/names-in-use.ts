/**
 * The names that a schema's indexes and constraints have. What is dropped frees its name, as the server does it, so that
 * the default name of a later unnamed one is the name that the server would have given.
 */
import type { Fields } from './ast.ts'
import { fieldsOf, fieldsOfAll, listOf, stringsOf } from './ast.ts'

export type NamedObject = {
  /** A key has both: a constraint and an index of its name. */
  readonly kind: 'index' | 'constraint'
  readonly name: string
  readonly table: string
  /** Those that it stands on, in expressions and conditions too: a column that is dropped takes it along. */
  readonly columns: readonly string[]
}

/** Changed from statement to statement. */
export type NamesInUse = {
  objects: NamedObject[]
  /** The names of `objects`: two tables may each have a constraint of one name. */
  taken: Record<NamedObject['kind'], Set<string>>
}

export function createNames(objects: readonly NamedObject[] = []): NamesInUse {
  const names: NamesInUse = { objects: [], taken: { index: new Set(), constraint: new Set() } }
  noteNames(names, objects)
  return names
}

export function noteNames({ objects, taken }: NamesInUse, added: readonly NamedObject[]): void {
  objects.push(...added)
  for (const { kind, name } of added) taken[kind].add(name)
}

/** Follows a statement that drops or renames. Of what CASCADE takes in other tables the names stay taken. */
export function followNames(names: NamesInUse, top: string, fields: Fields): void {
  const change = changes[top]?.(fields, names)
  if (change) Object.assign(names, createNames(names.objects.flatMap(change)))
}

/** What becomes of one object: itself, changed, or nothing. */
type Change = (object: NamedObject) => NamedObject | []

const changes: Readonly<Record<string, (fields: Fields, names: NamesInUse) => Change | undefined>> = {
  DropStmt: ({ removeType, objects }) => {
    const dropped = new Set(listOf(objects).map((object) => lastWord(fieldsOf(object, 'List')?.items)))
    const goes = ({ kind, name, table }: NamedObject) =>
      removeType === 'OBJECT_TABLE' ? dropped.has(table) : kind === 'index' && dropped.has(name)
    return (object) => (goes(object) ? [] : object)
  },
  AlterTableStmt: (alter) => {
    const table = tableOf(alter)
    const commands = fieldsOfAll(alter.cmds, 'AlterTableCmd')
    const [columns, constraints] = ['AT_DropColumn', 'AT_DropConstraint'].map(
      (subtype) => new Set(commands.filter((command) => command.subtype === subtype).map(({ name }) => String(name))),
    )
    const goes = (object: NamedObject) =>
      constraints!.has(object.name) || object.columns.some((one) => columns!.has(one))
    if (columns!.size + constraints!.size === 0) return undefined
    return (object) => (object.table === table && goes(object) ? [] : object)
  },
  RenameStmt: (rename, { taken }) => {
    const [table, from, to] = [tableOf(rename), String(rename.subname), String(rename.newname)]
    // An index may be renamed by the words for a table; a key goes by its index's name.
    const relation: Change = taken.index.has(table)
      ? (object) => (object.name === table ? { ...object, name: to } : object)
      : (object) => (object.table === table ? { ...object, table: to } : object)
    const within: Readonly<Record<string, Change>> = {
      OBJECT_TABLE: relation,
      OBJECT_INDEX: relation,
      OBJECT_TABCONSTRAINT: (object) =>
        object.table === table && object.name === from ? { ...object, name: to } : object,
      OBJECT_COLUMN: (object) =>
        object.table === table
          ? { ...object, columns: object.columns.map((column) => (column === from ? to : column)) }
          : object,
    }
    return within[String(rename.renameType)]
  },
}

const tableOf = (fields: Fields): string => String((fields.relation as Fields | undefined)?.relname)
const lastWord = (words: unknown): string | undefined => stringsOf(words).at(-1)
