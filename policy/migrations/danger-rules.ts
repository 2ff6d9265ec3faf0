export type DangerRule = keyof typeof dangerRules

const untilUnused = 'keep it in this release; remove it in one that comes when no school runs a version that uses it'

const mayBeArbiter = 'if it is unique, the ON CONFLICT of an installed version may need it'

/** One entry a rule: what happens, and what to do instead. `error` refuses the release. */
export const dangerRules = {
  'dropped-table': { severity: 'error', reason: 'the installed version still uses this table', mend: untilUnused },
  'dropped-column': { severity: 'error', reason: 'the installed version still uses this column', mend: untilUnused },
  'dropped-with-cascade': {
    severity: 'error',
    reason: 'CASCADE also drops the columns and defaults that use it, with what they hold',
    mend: 'leave CASCADE out: then the drop stops where something still uses it',
  },
  'dropped-index': {
    severity: 'warning',
    reason: mayBeArbiter,
    mend: untilUnused,
  },
  'dropped-constraint': {
    severity: 'warning',
    reason: mayBeArbiter,
    mend: untilUnused,
  },
  'dropped-sequence': {
    severity: 'warning',
    reason: 'the installed version may draw numbers from it by its name',
    mend: untilUnused,
  },
  'deletes-all-rows': {
    severity: 'warning',
    reason: 'every school that has the app loses every row of it',
    mend: 'say with WHERE which rows are meant, or add a column that tells them apart',
  },
  'dropped-type': { severity: 'warning', reason: 'columns of this type would stop the migration', mend: untilUnused },
  'renamed-table': {
    severity: 'error',
    reason: 'the installed version knows the old name only',
    mend: 'create the new table and copy the rows; drop the old one in a later release',
  },
  'renamed-column': {
    severity: 'error',
    reason: 'the installed version knows the old name only',
    mend: 'add the new column and copy the values; drop the old one in a later release',
  },
  'renamed-enum-value': {
    severity: 'error',
    reason: 'the installed version writes the old value',
    mend: 'add the new value in this migration and move the rows in the next one; leave the old one',
  },
  'not-null-without-default': {
    severity: 'error',
    reason: 'rows that exist, and rows the installed version adds, have no value for it',
    mend: 'give it a DEFAULT, or leave NOT NULL for a later release',
  },
  'set-not-null': {
    severity: 'error',
    reason: 'the installed version may write NULL, and every row is read under a lock',
    mend: 'set a DEFAULT and fill the rows in this release; SET NOT NULL in the next one',
  },
  'type-rewrites-table': {
    severity: 'warning',
    reason: 'every row may be written again while nobody can read the table',
    mend: 'add a column of the new type and copy the values',
  },
  'default-rewrites-table': {
    severity: 'warning',
    reason: 'this default differs by row, so every row is written again under a lock',
    mend: 'add the column without it, fill the rows, then set the default',
  },
  'default-dropped': {
    severity: 'warning',
    reason: 'the installed version may rely on this default',
    mend: 'keep the default until no school runs that version',
  },
  'index-concurrently': {
    severity: 'error',
    reason: 'CONCURRENTLY cannot run in the migration’s transaction',
    mend: 'leave CONCURRENTLY out; the import waits for locks a short time only',
  },
  'index-locks-writes': {
    severity: 'warning',
    reason: 'writes wait while the index is built',
    mend: 'see the rehearsal for how long; large tables are better indexed when they are made',
  },
  'constraint-checks-rows': {
    severity: 'warning',
    reason: 'every row is checked under a lock, and one that does not fit stops the migration',
    mend: 'add it NOT VALID here, and VALIDATE CONSTRAINT in a later migration',
  },
  'unique-added': {
    severity: 'warning',
    reason: 'rows that are equal already stop the migration, and the installed version may add such rows',
    mend: 'remove duplicates first; see the rehearsal for how long writes wait',
  },
} as const satisfies Record<string, { severity: 'error' | 'warning'; reason: string; mend: string }>
