/**
 * Changes that break the version still installed in some schools (errors), or that lock or rewrite a table while
 * schools work (warnings, measured by the rehearsal). Only tables that exist before the migration are in danger.
 */
import type { Fields } from '../sql/ast.ts'
import { fieldsOf, listOf, stringOf, stringsOf, unwrap } from '../sql/ast.ts'
import { dataStatements } from '../sql/node-lists.ts'
import { alterDangers } from './dangers-alter.ts'
import type { DangerRule } from './danger-rules.ts'
import { dangerRules } from './danger-rules.ts'

export type Danger = {
  readonly statement: number
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly reason: string
  readonly mend: string
}

/** What is known of the released version; what is not given is taken for dangerous. */
export type ReleasedUse = {
  readonly inUse?: (table: string, column?: string) => boolean
  readonly nullable?: (table: string, column: string) => boolean
}

/** Answers the dangers and the tables that exist afterwards. */
export function lintDangers(
  trees: readonly Fields[],
  knownTables: ReadonlySet<string>,
  { inUse = () => true, nullable = () => true }: ReleasedUse,
): { dangers: Danger[]; tables: Set<string> } {
  const tables = new Set(knownTables)
  const atRisk = new Set(knownTables)
  const dangers: Danger[] = []
  const locked = new Set<string>()
  for (const [statement, tree] of trees.entries()) {
    const report = (rule: DangerRule, what: string) => {
      const { severity, reason, mend } = dangerRules[rule]
      dangers.push({ statement, rule, severity, reason: `${what}: ${reason}`, mend })
    }
    const [top, fields] = unwrap(tree) ?? ['', {}]
    inspect(top, fields, { atRisk, inUse, nullable, report })
    if (dataStatements.has(top)) {
      for (const table of locked) report('rows-changed-under-lock', table)
      // Once for each table: a seed is hundreds of statements.
      locked.clear()
    }
    const altered = lockedBy(top, fields)
    if (altered !== undefined && atRisk.has(altered) && inUse(altered)) locked.add(altered)
    followTables(top, fields, tables, atRisk)
  }
  return { dangers, tables }
}

export type DangerContext = {
  readonly atRisk: ReadonlySet<string>
  readonly inUse: (table: string, column?: string) => boolean
  readonly nullable: (table: string, column: string) => boolean
  readonly report: (rule: DangerRule, what: string) => void
}

function inspect(top: string, fields: Fields, context: DangerContext): void {
  const table = String((fields.relation as Fields | undefined)?.relname)
  const risky = context.atRisk.has(table)
  if (top === 'DropStmt') dropped(fields, context)
  if (top === 'RenameStmt') renamed(fields, table, context)
  if (top === 'AlterEnumStmt' && fields.oldVal) context.report('renamed-enum-value', String(fields.oldVal))
  if (top === 'IndexStmt' && fields.concurrent) context.report('index-concurrently', String(fields.idxname ?? table))
  if (top === 'IndexStmt' && risky) context.report('index-locks-writes', table)
  if (top === 'IndexStmt' && risky && fields.unique) context.report('unique-added', table)
  if (top === 'DeleteStmt' && risky && !fields.whereClause) context.report('deletes-all-rows', table)
  if (top === 'AlterTableStmt' && risky) alterDangers(listOf(fields.cmds), table, context)
}

/** The table that nobody writes to, or reads, from this statement on until the file's transaction ends. */
function lockedBy(top: string, fields: Fields): string | undefined {
  const locks = top === 'AlterTableStmt' || top === 'IndexStmt'
  return locks ? String((fields.relation as Fields | undefined)?.relname) : undefined
}

function dropped(drop: Fields, context: DangerContext): void {
  if (drop.concurrent) context.report('index-concurrently', 'DROP INDEX')
  for (const object of listOf(drop.objects)) {
    const name = droppedName(object)
    const cascades = drop.behavior === 'DROP_CASCADE'
    if (drop.removeType === 'OBJECT_TABLE' && context.atRisk.has(name)) {
      if (context.inUse(name)) context.report('dropped-table', name)
      if (cascades) context.report('dropped-with-cascade', name)
    }
    const takesColumns = drop.removeType === 'OBJECT_TYPE' || drop.removeType === 'OBJECT_SEQUENCE'
    if (takesColumns && cascades && context.atRisk.size > 0) context.report('dropped-with-cascade', name)
    else if (drop.removeType === 'OBJECT_TYPE') context.report('dropped-type', name)
    else if (drop.removeType === 'OBJECT_SEQUENCE' && context.atRisk.size > 0) context.report('dropped-sequence', name)
    if (drop.removeType === 'OBJECT_INDEX' && context.atRisk.size > 0) context.report('dropped-index', name)
  }
}

function renamed(rename: Fields, table: string, context: DangerContext): void {
  if (rename.renameType === 'OBJECT_SEQUENCE' && context.atRisk.size > 0) context.report('dropped-sequence', table)
  if (rename.renameType === 'OBJECT_TYPE' && context.atRisk.size > 0)
    context.report('renamed-type', droppedName(rename.object))
  if (!context.atRisk.has(table)) return
  if (rename.renameType === 'OBJECT_TABCONSTRAINT') context.report('dropped-constraint', `${table}.${rename.subname}`)
  const column = String(rename.subname)
  if (rename.renameType === 'OBJECT_TABLE' && context.inUse(table)) context.report('renamed-table', table)
  if (rename.renameType === 'OBJECT_COLUMN' && context.inUse(table, column)) {
    context.report('renamed-column', `${table}.${column}`)
  }
}

function followTables(top: string, fields: Fields, tables: Set<string>, atRisk: Set<string>): void {
  const name = String((fields.relation as Fields | undefined)?.relname)
  if (top === 'CreateStmt') {
    tables.add(name)
    if (!fields.if_not_exists) atRisk.delete(name)
  }
  if (top === 'DropStmt' && fields.removeType === 'OBJECT_TABLE') {
    for (const object of listOf(fields.objects)) tables.delete(droppedName(object))
  }
  if (top === 'RenameStmt' && fields.renameType === 'OBJECT_TABLE') {
    if (tables.delete(name)) tables.add(String(fields.newname))
    if (atRisk.delete(name)) atRisk.add(String(fields.newname))
  }
}

function droppedName(object: unknown): string {
  const parts = fieldsOf(object, 'List')?.items ?? fieldsOf(object, 'TypeName')?.names
  return stringsOf(parts).at(-1) ?? stringOf(object) ?? ''
}
