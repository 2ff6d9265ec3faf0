import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import pg from 'pg'
import { ulid } from 'ulid'
import type { WebProcess } from '../../http/support/web-process.ts'

/** A hand-written Fastify server that runs the same prepared statements, without token, tenant guard, log or schema. */
export async function startPeer(connection: pg.ClientConfig, tenantId: string): Promise<WebProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['peer', JSON.stringify({ connection, tenantId })], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve) => child.once('message', (message) => resolve(String(message))))
  return {
    url,
    child,
    async stop() {
      child.disconnect()
      await ended
    },
  }
}

const columns = 'id, full_name, national_id, birth_date, gender, grade_id, section_id, guardian_id'

if (process.argv[2] === 'peer') {
  const { connection, tenantId } = JSON.parse(process.argv[3]!)
  pg.types.setTypeParser(1082, (text) => text)
  const pool = new pg.Pool({ ...connection, max: 20, idleTimeoutMillis: 0 })
  const server = Fastify()
  server.get('/constant', () => ({ tenant_id: 1, module: 'registrar', scopes: ['education.students.read'] }))
  server.get<{ Params: { id: string } }>('/students/:id', async ({ params }, reply) => {
    const { rows } = await pool.query({
      name: 'one',
      text: `select ${columns} from core.students where tenant_id = $1 and id = $2`,
      values: [tenantId, params.id],
    })
    return rows[0] ? { student: rows[0] } : reply.status(404).send()
  })
  server.get('/students', async () => {
    const [counted, page] = await Promise.all([
      pool.query({
        name: 'count',
        text: 'select count(*) as total from core.students where tenant_id = $1',
        values: [tenantId],
      }),
      pool.query({
        name: 'page',
        text: `select ${columns} from core.students where tenant_id = $1 order by id limit $2`,
        values: [tenantId, 20],
      }),
    ])
    const total = Number(counted.rows[0].total)
    return { data: page.rows, total, per_page: 20, current_page: 1, last_page: Math.ceil(total / 20) }
  })
  server.post<{ Body: { full_name: string } }>('/students', async ({ body }, reply) => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query({
        name: 'insert',
        text: `insert into core.students (tenant_id, id, full_name) values ($1, $2, $3) returning ${columns}`,
        values: [tenantId, ulid(), body.full_name],
      })
      await client.query('commit')
      return reply.status(201).send({ student: rows[0] })
    } finally {
      client.release()
    }
  })
  process.on('disconnect', () => void server.close().then(() => pool.end()))
  process.send!(await server.listen({ host: '127.0.0.1', port: 0 }))
}
