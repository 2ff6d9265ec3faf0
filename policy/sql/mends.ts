/**
 * What the guard takes none of, in the words of who wrote it, and what to write instead. Keys are the grammar's own names;
 * a statement, a command or a node that is not named here is refused all the same.
 */
export type Mend = { readonly what: string; readonly mend: string }

const isolation = 'leave it out: the platform keeps each school to its own rows, in every table'
const rights = 'leave it out: the platform gives the module what it needs on each table'
const transaction = 'leave it out: each file is one transaction'
const code = 'do it in the module’s code, in the transaction that changes the row'
const partition = 'make one table, with an index by what would part it'
const upkeep = 'leave it out: the server sees to it'
const place = 'leave it out: where tables lie is the host’s'

const of = (what: string, mend: string): Mend => ({ what, mend })

export const statementMends: Readonly<Record<string, Mend>> = {
  TransactionStmt: of('BEGIN, COMMIT or ROLLBACK', transaction),
  VariableSetStmt: of('SET', 'leave it out: a migration runs with the settings of the import'),
  VariableShowStmt: of('SHOW', 'leave it out'),
  CreateTrigStmt: of('CREATE TRIGGER', code),
  CreateFunctionStmt: of('CREATE FUNCTION or PROCEDURE', code),
  CallStmt: of('CALL', code),
  RuleStmt: of('CREATE RULE', code),
  DoStmt: of('DO', 'write its statements one after another'),
  CreatePolicyStmt: of('CREATE POLICY', isolation),
  AlterPolicyStmt: of('ALTER POLICY', isolation),
  GrantStmt: of('GRANT or REVOKE', rights),
  GrantRoleStmt: of('GRANT or REVOKE', rights),
  AlterDefaultPrivilegesStmt: of('ALTER DEFAULT PRIVILEGES', rights),
  AlterOwnerStmt: of('OWNER TO', rights),
  CreateRoleStmt: of('CREATE ROLE', rights),
  ViewStmt: of('CREATE VIEW', 'write its query where it is used'),
  CreateTableAsStmt: of(
    'CREATE TABLE AS or a materialized view',
    'create the table with its columns, then INSERT INTO it from a SELECT',
  ),
  TruncateStmt: of('TRUNCATE', 'say with DELETE and WHERE which rows are meant'),
  CopyStmt: of('COPY', 'write the rows with INSERT'),
  CreateDomainStmt: of('CREATE DOMAIN', 'take the type it is made of, with a CHECK on the column'),
  CompositeTypeStmt: of('CREATE TYPE … AS', 'make a table of it, or keep it as jsonb'),
  CreateRangeStmt: of('CREATE TYPE … AS RANGE', 'take one of the server’s range types'),
  CreateSchemaStmt: of('CREATE SCHEMA', 'leave it out: the platform makes the module’s one schema'),
  CreateExtensionStmt: of('CREATE EXTENSION', 'leave it out: no extension runs for modules'),
  AlterObjectSchemaStmt: of('SET SCHEMA', 'leave it out: a module has one schema'),
  LockStmt: of('LOCK', 'leave it out: the import waits for the locks it needs'),
  VacuumStmt: of('VACUUM or ANALYZE', upkeep),
  ReindexStmt: of('REINDEX', upkeep),
  ClusterStmt: of('CLUSTER', upkeep),
  CreateStatsStmt: of('CREATE STATISTICS', upkeep),
}

export const commandMends: Readonly<Record<string, Mend>> = {
  AT_EnableRowSecurity: of('ENABLE ROW LEVEL SECURITY', isolation),
  AT_DisableRowSecurity: of('DISABLE ROW LEVEL SECURITY', isolation),
  AT_ForceRowSecurity: of('FORCE ROW LEVEL SECURITY', isolation),
  AT_NoForceRowSecurity: of('NO FORCE ROW LEVEL SECURITY', isolation),
  AT_ChangeOwner: of('OWNER TO', rights),
  AT_EnableTrig: of('ENABLE TRIGGER', code),
  AT_DisableTrig: of('DISABLE TRIGGER', code),
  AT_AttachPartition: of('ATTACH PARTITION', partition),
  AT_DetachPartition: of('DETACH PARTITION', partition),
  AT_AddInherit: of('INHERIT', 'give the table the columns themselves'),
  AT_SetTableSpace: of('SET TABLESPACE', place),
  AT_SetAccessMethod: of('SET ACCESS METHOD', place),
  AT_SetRelOptions: of('SET (…)', upkeep),
  AT_ResetRelOptions: of('RESET (…)', upkeep),
  AT_SetLogged: of('SET LOGGED', 'leave it out: every table of a module is logged'),
  AT_SetUnLogged: of('SET UNLOGGED', 'leave it out: every table of a module is logged'),
  AT_ClusterOn: of('CLUSTER ON', upkeep),
  AT_ReplicaIdentity: of('REPLICA IDENTITY', 'leave it out: it is the host’s'),
}

/** Of CREATE TABLE: each of these is refused. */
export const clauseMends: Readonly<Record<string, Mend>> = {
  inhRelations: of('INHERITS', 'give the table the columns themselves'),
  partbound: of('PARTITION OF', partition),
  partspec: of('PARTITION BY', partition),
  ofTypename: of('OF', 'write the columns'),
  options: of('WITH (…)', upkeep),
  tablespacename: of('TABLESPACE', place),
  accessMethod: of('USING', place),
}

export const nodeMends: Readonly<Record<string, Mend>> = {
  TableLikeClause: of('LIKE in CREATE TABLE', 'write the columns'),
  XmlExpr: of('XML', 'keep it as text, and read it in the module’s code'),
  XmlSerialize: of('XML', 'keep it as text, and read it in the module’s code'),
  CurrentOfExpr: of('WHERE CURRENT OF', 'name the row by its key'),
}
