import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { compareVerdicts } from '../policy/sql/agreement.ts'
import { useCluster } from '../support/cluster.ts'
import { statementsOf } from './psql-script.ts'

/** Source: issue "Policy", equal to the server's verdict on its own regression suite. */
const goal = 0.9999

/**
 * Whether the guard's grammar and the server's read the same texts: a statement that only the server could read would be
 * one that nobody judged. `SQL_CORPUS` names a folder of .sql files, such as PostgreSQL's own regression suite.
 */
export async function run(): Promise<void> {
  const folder = process.env.SQL_CORPUS
  if (!folder) {
    console.log('SQL_CORPUS names no folder of .sql files: the agreement with the server is not measured')
    return
  }
  const files = globSync('**/*.sql', { cwd: folder }).sort()
  const texts = files.flatMap((file) => statementsOf(readFileSync(join(folder, file), 'utf8')))
  const cluster = await useCluster()
  const client = new pg.Client(cluster.superuser)
  await client.connect()
  try {
    const { statements, agreed, differences } = await compareVerdicts(client, texts)
    for (const difference of differences.slice(0, 50)) console.log(difference)
    const share = agreed / statements
    console.log(JSON.stringify({ name: 'sql-agreement', files: files.length, statements, agreed, share, goal }))
    if (!(share >= goal)) throw new Error(`guard and server agree on ${share} of the corpus, ${goal} is the goal`)
  } finally {
    await client.end()
    await cluster.stop()
  }
}
