/** Blueprint's calls that take something away or give it another name. Each is one statement. */
import type { Arguments } from './arguments.ts'
import { bindArguments } from './arguments.ts'
import { quoteName, quoteTable } from './identifiers.ts'
import { droppedIndex } from './indexes.ts'
import type { Blueprint } from './model.ts'
import type { ChainLink } from './nodes.ts'
import { lineOf, refusePhp } from './nodes.ts'
import type { Scope } from './values.ts'
import { evaluate, isArray, listValues, toText } from './values.ts'

type Drop = {
  readonly parameters: readonly string[]
  readonly statements: (table: string, given: Arguments) => string[]
}

function constraint(type: string): Drop {
  return {
    parameters: ['index'],
    statements: (table, given) => [
      `alter table ${quoteTable(table)} drop constraint ${quoteName(droppedIndex(table, given, type))}`,
    ],
  }
}

function index(type: string): Drop {
  return {
    parameters: ['index'],
    statements: (table, given) => [`drop index ${quoteName(droppedIndex(table, given, type))}`],
  }
}

function columns(...names: string[]): Drop {
  return { parameters: [], statements: (table) => [dropColumns(table, names)] }
}

function optionalColumn(name: string): Drop {
  return { parameters: ['column'], statements: (table, given) => [dropColumns(table, [given.text('column') ?? name])] }
}

const drops: Readonly<Record<string, Drop>> = {
  dropUnique: constraint('unique'),
  dropForeign: constraint('foreign'),
  dropPrimary: {
    parameters: ['index'],
    statements: (table) => [
      `alter table ${quoteTable(table)} drop constraint ${quoteName(`${table.slice(table.lastIndexOf('.') + 1)}_pkey`)}`,
    ],
  },
  dropIndex: index('index'),
  dropFullText: index('fulltext'),
  dropSpatialIndex: index('spatialindex'),
  dropTimestamps: columns('created_at', 'updated_at'),
  dropTimestampsTz: columns('created_at', 'updated_at'),
  dropRememberToken: columns('remember_token'),
  dropSoftDeletes: optionalColumn('deleted_at'),
  dropSoftDeletesTz: optionalColumn('deleted_at'),
  dropMorphs: {
    parameters: ['name', 'indexName'],
    statements(table, given) {
      const names = [`${given.name('name')}_type`, `${given.name('name')}_id`]
      const conventional = `${table}_${names.join('_')}_index`.toLowerCase().replaceAll(/[-.]/g, '_')
      return [`drop index ${quoteName(given.text('indexName') ?? conventional)}`, dropColumns(table, names)]
    },
  },
  dropConstrainedForeignId: {
    parameters: ['column'],
    statements(table, given) {
      const column = given.name('column')
      const key = `${table}_${column}_foreign`.toLowerCase().replaceAll(/[-.]/g, '_')
      return [`alter table ${quoteTable(table)} drop constraint ${quoteName(key)}`, dropColumns(table, [column])]
    },
  },
  renameColumn: {
    parameters: ['from', 'to'],
    statements: (table, given) => [
      `alter table ${quoteTable(table)} rename column ${quoteName(given.name('from'))} to ${quoteName(given.name('to'))}`,
    ],
  },
  renameIndex: {
    parameters: ['from', 'to'],
    statements: (_table, given) => [
      `alter index ${quoteName(given.name('from'))} rename to ${quoteName(given.name('to'))}`,
    ],
  },
  rename: {
    parameters: ['to'],
    statements: (table, given) => [renameTable(table, given.name('to'))],
  },
  drop: { parameters: [], statements: (table) => [`drop table ${quoteTable(table)}`] },
  dropIfExists: { parameters: [], statements: (table) => [`drop table if exists ${quoteTable(table)}`] },
  comment: {
    parameters: ['comment'],
    statements: (table, given) => [
      `comment on table ${quoteTable(table)} is '${given.name('comment').replaceAll("'", "''")}'`,
    ],
  },
}

export function dropColumns(table: string, names: readonly string[]): string {
  return `alter table ${quoteTable(table)} ${names.map((name) => `drop column ${quoteName(name)}`).join(', ')}`
}

export function renameTable(from: string, to: string): string {
  return `alter table ${quoteTable(from)} rename to ${quoteTable(to)}`
}

/** Reads such a call into the blueprint; false when it is another kind of call. */
export function readDrop(blueprint: Blueprint, link: ChainLink, scope: Scope): boolean {
  const line = lineOf(link.node)
  if (link.method === 'dropColumn') {
    blueprint.commands.push({ kind: 'plain', line, sql: dropColumns(blueprint.table, columnArguments(link, scope)) })
    return true
  }
  const drop = Object.hasOwn(drops, link.method) ? drops[link.method] : undefined
  if (!drop) return false
  const given = bindArguments(link.node, link.arguments, drop.parameters, scope)
  for (const sql of drop.statements(blueprint.table, given)) blueprint.commands.push({ kind: 'plain', line, sql })
  return true
}

/** `dropColumn('a', 'b')` or `dropColumn(['a', 'b'])`. */
function columnArguments(link: ChainLink, scope: Scope): string[] {
  const values = link.arguments.map((argument) => evaluate(argument, scope))
  const [first] = values
  const names = (isArray(first) ? listValues(first) : values).map((value) => toText(value, link.node))
  return names.length > 0 ? names : refusePhp(link.node, 'dropColumn() without a column')
}
