import type pg from 'pg'
import { checkSql, loadGuard } from '../../../policy/sql/guard.ts'

/** `differences`: texts of which the guard's grammar and the server's say different things, the guard's word first. */
export type Agreement = { statements: number; agreed: number; differences: string[] }

/** Each text is parsed by both; the server is asked to prepare it, so it runs nothing. */
export async function compareVerdicts(client: pg.ClientBase, texts: readonly string[]): Promise<Agreement> {
  await loadGuard()
  const differences: string[] = []
  let statements = 0
  for (const text of texts) {
    const verdict = checkSql(text, { profile: 'runtime', schema: 'm_any', maxBytes: 1_000_000 })
    const rule = verdict.ok ? '' : verdict.refusal.rule
    // Refused before any grammar: more than the server is asked.
    if (rule === 'nul' || rule === 'utf16' || rule === 'size' || rule === 'empty') continue
    statements += 1
    const guardReads = rule !== 'syntax' && rule !== 'parser_crash'
    const serverReads = await isGrammatical(client, text)
    if (guardReads !== serverReads)
      differences.push(`${guardReads ? 'reads' : 'refuses'}: ${text.trim().replace(/\s+/g, ' ').slice(0, 200)}`)
  }
  return { statements, agreed: statements - differences.length, differences }
}

/** Files of the server's source in which an error is one of grammar: scanner, parser, and the grammar's own actions. */
const grammarFiles = new Set(['scan.l', 'gram.y', 'parser.c', 'scansup.c', 'mbutils.c'])
let prepared = 0

async function isGrammatical(client: pg.ClientBase, text: string): Promise<boolean> {
  const name = `agreement${prepared++}`
  try {
    await describe(client, name, text)
    return true
  } catch (error) {
    const { file } = error as { file?: string }
    return file === undefined || !grammarFiles.has(file)
  }
}

/** Parse and Sync only: the statement is never bound, so it cannot run. */
function describe(client: pg.ClientBase, name: string, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = {
      submit(connection: pg.Connection) {
        const wire = connection as unknown as Wire
        wire.parse({ name, text, types: [] })
        wire.close({ type: 'S', name })
        wire.sync()
      },
      // node-postgres forgets the query on an error: that the connection is ready again is heard on itself.
      handleError(error: Error, connection: pg.Connection) {
        connection.once('readyForQuery', () => reject(error))
      },
      handleReadyForQuery: resolve,
      handleCloseComplete() {},
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete() {},
    }
    client.query(query as unknown as pg.Submittable)
  })
}

type Wire = {
  parse(message: { name: string; text: string; types: number[] }): void
  close(message: { type: 'S'; name: string }): void
  sync(): void
}
