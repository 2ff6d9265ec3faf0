/**
 * What the guard knows of PostgreSQL's grammar. Everything is an allow-list: a node, a sub-command or a bare field that
 * is not named here is refused, so a construct that a later PostgreSQL adds is closed until someone opens it.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean))

const expressions = `A_Const ColumnRef ParamRef A_Expr BoolExpr FuncCall A_Star A_Indirection A_Indices A_ArrayExpr
  ResTarget TypeCast TypeName String Integer Float Boolean BitString List SubLink CaseExpr CaseWhen CoalesceExpr
  MinMaxExpr NullTest BooleanTest SortBy WindowDef RowExpr SQLValueFunction CollateClause GroupingSet GroupingFunc
  MultiAssignRef SetToDefault NamedArgExpr Alias
  JsonObjectConstructor JsonArrayConstructor JsonArrayQueryConstructor JsonObjectAgg JsonArrayAgg JsonAggConstructor
  JsonKeyValue JsonValueExpr JsonFormat JsonOutput JsonReturning JsonIsPredicate JsonFuncExpr JsonBehavior JsonArgument
  JsonTable JsonTableColumn JsonTablePathSpec JsonParseExpr JsonScalarExpr JsonSerializeExpr JsonTablePath`

const queries = `SelectStmt InsertStmt UpdateStmt DeleteStmt MergeStmt MergeWhenClause RangeVar RangeSubselect
  RangeFunction JoinExpr CommonTableExpr CTESearchClause CTECycleClause WithClause OnConflictClause InferClause IndexElem
  LockingClause ReturningClause ReturningOption RangeTableSample ColumnDef`

const definitions = `CreateStmt AlterTableStmt AlterTableCmd IndexStmt DropStmt RenameStmt CommentStmt CreateSeqStmt
  AlterSeqStmt CreateEnumStmt AlterEnumStmt Constraint DefElem`

export const dataNodes = words(`${expressions} ${queries}`)
export const definitionNodes = words(`${expressions} ${queries} ${definitions}`)

export const runtimeStatements = words('SelectStmt InsertStmt UpdateStmt DeleteStmt MergeStmt')
export const dataStatements = words('InsertStmt UpdateStmt DeleteStmt MergeStmt')
export const definitionStatements = words(`CreateStmt AlterTableStmt IndexStmt DropStmt RenameStmt CommentStmt
  CreateSeqStmt AlterSeqStmt CreateEnumStmt AlterEnumStmt`)

export const alterTableCommands = words(`AT_AddColumn AT_DropColumn AT_ColumnDefault AT_DropNotNull AT_SetNotNull
  AT_AlterColumnType AT_AddConstraint AT_DropConstraint AT_ValidateConstraint AT_AlterConstraint AT_AddIdentity
  AT_SetIdentity AT_DropIdentity AT_DropExpression AT_SetExpression AT_SetStatistics`)

export const constraintKinds = words(`CONSTR_NULL CONSTR_NOTNULL CONSTR_DEFAULT CONSTR_IDENTITY CONSTR_GENERATED
  CONSTR_CHECK CONSTR_PRIMARY CONSTR_UNIQUE CONSTR_FOREIGN CONSTR_ATTR_DEFERRABLE CONSTR_ATTR_NOT_DEFERRABLE
  CONSTR_ATTR_DEFERRED CONSTR_ATTR_IMMEDIATE CONSTR_ATTR_ENFORCED CONSTR_ATTR_NOT_ENFORCED`)

export const dropKinds = words('OBJECT_TABLE OBJECT_INDEX OBJECT_SEQUENCE OBJECT_TYPE')
export const renameKinds = words(
  'OBJECT_TABLE OBJECT_COLUMN OBJECT_INDEX OBJECT_TABCONSTRAINT OBJECT_SEQUENCE OBJECT_TYPE',
)
export const commentKinds = words('OBJECT_TABLE OBJECT_COLUMN OBJECT_INDEX OBJECT_TYPE OBJECT_SEQUENCE')
export const sequenceOptions = words('increment minvalue maxvalue start restart cache cycle owned_by as')
/** An identity column owns its sequence, whose name the server gives. */
export const identityOptions = words('increment minvalue maxvalue start restart cache cycle')
export const identityChanges = new Set([...identityOptions, 'generated'])
export const indexMethods = words('btree gin gist brin hash')

export const valueFunctions = words(`SVFOP_CURRENT_DATE SVFOP_CURRENT_TIME SVFOP_CURRENT_TIME_N
  SVFOP_CURRENT_TIMESTAMP SVFOP_CURRENT_TIMESTAMP_N SVFOP_LOCALTIME SVFOP_LOCALTIME_N SVFOP_LOCALTIMESTAMP
  SVFOP_LOCALTIMESTAMP_N`)

export const systemColumns = words('tableoid xmin xmax cmin cmax ctid')

/** The node type of each field that the parser leaves bare, by its name or by parent and name; others are refused. */
export const bareFields: Readonly<Record<string, string>> = {
  relation: 'RangeVar',
  pktable: 'RangeVar',
  sequence: 'RangeVar',
  typeName: 'TypeName',
  alias: 'Alias',
  join_using_alias: 'Alias',
  withClause: 'WithClause',
  intoClause: 'IntoClause',
  onConflictClause: 'OnConflictClause',
  infer: 'InferClause',
  over: 'WindowDef',
  larg: 'SelectStmt',
  rarg: 'SelectStmt',
  search_clause: 'CTESearchClause',
  cycle_clause: 'CTECycleClause',
  collClause: 'CollateClause',
  returningClause: 'ReturningClause',
  output: 'JsonOutput',
  returning: 'JsonReturning',
  format: 'JsonFormat',
  context_item: 'JsonValueExpr',
  value: 'JsonValueExpr',
  val: 'JsonValueExpr',
  on_empty: 'JsonBehavior',
  on_error: 'JsonBehavior',
  pathspec: 'JsonTablePathSpec',
  constructor: 'JsonAggConstructor',
  'JsonObjectAgg.arg': 'JsonKeyValue',
  'JsonArrayAgg.arg': 'JsonValueExpr',
  'JsonParseExpr.expr': 'JsonValueExpr',
  'JsonSerializeExpr.expr': 'JsonValueExpr',
}

/** Nodes that hold literal text or numbers only. */
export const leafNodes = words('A_Const String Integer Float Boolean BitString A_Star')
