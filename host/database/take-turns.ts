import type pg from 'pg'

/**
 * Whoever changes roles, or grants on what many roles share, takes turns with all others, those of other hosts too: two
 * grants on one schema or database at one time would change one record of a catalog, and the second fails.
 */
const turn = '7410, 0'

/** Until the transaction ends. */
export const takeTurns = (client: pg.ClientBase) => client.query(`select pg_advisory_xact_lock(${turn})`)

/** Until the session ends. */
export const takeLongTurn = (client: pg.ClientBase) => client.query(`select pg_advisory_lock(${turn})`)
