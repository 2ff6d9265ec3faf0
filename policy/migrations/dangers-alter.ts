import type { Fields } from '../sql/ast.ts'
import { fieldsOf, fieldsOfAll, listOf, stringsOf } from '../sql/ast.ts'
import type { DangerContext } from './dangers.ts'

/** The dangers of ALTER TABLE on a table that the installed version has. */
export function alterDangers(commands: readonly unknown[], table: string, context: DangerContext): void {
  for (const node of commands) {
    const command = fieldsOf(node, 'AlterTableCmd') ?? {}
    inspectors[String(command.subtype)]?.(command, table, context)
  }
}

type Inspector = (command: Fields, table: string, context: DangerContext) => void

const inspectors: Readonly<Record<string, Inspector>> = {
  AT_AddColumn(command, table, { report }) {
    const column = fieldsOf(command.def, 'ColumnDef')
    if (column) addedColumn(column, `${table}.${String(column.colname)}`, report)
  },
  AT_DropColumn(command, table, { report, inUse }) {
    const column = String(command.name)
    if (inUse(table, column)) report('dropped-column', `${table}.${column}`)
    if (command.behavior === 'DROP_CASCADE') report('dropped-with-cascade', `${table}.${column}`)
  },
  AT_SetNotNull(command, table, context) {
    requiredFromNow(String(command.name), table, context)
  },
  AT_AlterColumnType(command, table, { report }) {
    const column = String(command.name)
    const using = fieldsOf(command.def, 'ColumnDef')?.raw_default
    report('type-rewrites-table', `${table}.${column}`)
    if (using && !reads(using, column)) report('values-replaced', `${table}.${column}`)
  },
  AT_AddIdentity(command, table, { report }) {
    const identity = fieldsOf(command.def, 'Constraint')?.generated_when
    if (identity === 'a') report('always-generated', `${table}.${String(command.name)}`)
  },
  AT_SetIdentity(command, table, { report }) {
    const options = fieldsOfAll(fieldsOf(command.def, 'List')?.items, 'DefElem')
    const isAlways = ({ defname, arg }: Fields) => defname === 'generated' && fieldsOf(arg, 'Integer')?.ival === always
    if (options.some(isAlways)) report('always-generated', `${table}.${String(command.name)}`)
  },
  AT_SetExpression(command, table, { report }) {
    report('generated-changed', `${table}.${String(command.name)}`)
  },
  AT_DropExpression(command, table, { report }) {
    report('generated-changed', `${table}.${String(command.name)}`)
  },
  AT_ColumnDefault(command, table, { report }) {
    const isNull = Boolean(fieldsOf(command.def, 'A_Const')?.isnull)
    if (!command.def || isNull) report('default-dropped', `${table}.${String(command.name)}`)
  },
  AT_DropIdentity(command, table, { report }) {
    report('default-dropped', `${table}.${String(command.name)}`)
  },
  AT_DropConstraint(command, table, { report }) {
    report('dropped-constraint', `${table}.${String(command.name)}`)
  },
  AT_AddConstraint(command, table, context) {
    const { report } = context
    const constraint = fieldsOf(command.def, 'Constraint') ?? {}
    const checksRows = constraint.contype === 'CONSTR_CHECK' || constraint.contype === 'CONSTR_FOREIGN'
    const name = `${table}.${String(constraint.conname ?? 'constraint')}`
    if (checksRows) report(constraint.skip_validation ? 'constraint-on-new-rows' : 'constraint-checks-rows', name)
    if (constraint.contype === 'CONSTR_UNIQUE' || constraint.contype === 'CONSTR_PRIMARY') report('unique-added', name)
    // NOT VALID asks nothing of the rows that are there, but of each that the installed version adds.
    const required = constraint.contype === 'CONSTR_PRIMARY' || constraint.contype === 'CONSTR_NOTNULL'
    if (required) for (const column of stringsOf(constraint.keys)) requiredFromNow(String(column), table, context)
  },
}

/** The letter that the grammar keeps as a number. */
const always = 'a'.charCodeAt(0)

function reads(tree: unknown, column: string): boolean {
  if (typeof tree !== 'object' || tree === null) return false
  const names = fieldsOf(tree, 'ColumnRef')?.fields
  if (names) return stringsOf(names).at(-1) === column
  return Object.values(tree).some((part) => reads(part, column))
}

/** It asks for the table: an INSERT that leaves the column out breaks too. */
function requiredFromNow(column: string, table: string, { report, inUse, nullable }: DangerContext): void {
  if (nullable(table, column) && inUse(table)) report('set-not-null', `${table}.${column}`)
}

function addedColumn(column: Fields, name: string, report: DangerContext['report']): void {
  const constraints = listOf(column.constraints).map((node) => fieldsOf(node, 'Constraint') ?? {})
  const of = (kind: string) => constraints.find(({ contype }) => contype === kind)
  const type = stringsOf((column.typeName as Fields | undefined)?.names).at(-1) ?? ''
  const filled = of('CONSTR_DEFAULT') ?? of('CONSTR_IDENTITY') ?? of('CONSTR_GENERATED')
  const serial = /serial/.test(type)
  const required = of('CONSTR_NOTNULL') ?? of('CONSTR_PRIMARY')
  const nullDefault = filled?.contype === 'CONSTR_DEFAULT' && Boolean(fieldsOf(filled.raw_expr, 'A_Const')?.isnull)
  if (required && (!filled || nullDefault) && !serial) report('not-null-without-default', name)
  const generated = of('CONSTR_GENERATED') && of('CONSTR_GENERATED')?.generated_kind !== 'v'
  if (serial || of('CONSTR_IDENTITY') || generated || callsVolatile(filled?.raw_expr))
    report('default-rewrites-table', name)
  if (of('CONSTR_UNIQUE')) report('unique-added', name)
  if (of('CONSTR_CHECK')) report('constraint-checks-rows', name)
}

const volatile = new Set(
  'random random_normal gen_random_uuid uuidv4 uuidv7 clock_timestamp timeofday nextval'.split(' '),
)

function callsVolatile(tree: unknown): boolean {
  if (typeof tree !== 'object' || tree === null) return false
  const call = fieldsOf(tree, 'FuncCall')
  if (call && volatile.has(stringsOf(call.funcname).at(-1) ?? '')) return true
  return Object.values(tree).some(callsVolatile)
}
