import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { ulid } from 'ulid'

/**
 * So many more schools that have installed the same app, each with a teacher signed in: the records that installing and
 * signing in leave, written at once. Answers with the session cookies.
 */
export async function createFleet(superuser: pg.ClientConfig, slug: string, schools: number): Promise<string[]> {
  const ids = () => Array.from({ length: schools }, () => ulid())
  const cookies = Array.from({ length: schools }, () => randomBytes(32).toString('base64url'))
  const hashes = cookies.map((cookie) => createHash('sha256').update(cookie).digest())
  const client = new pg.Client(superuser)
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      'create temporary table fleet (tenant text, person text, installation text, token_hash bytea) on commit drop',
    )
    await client.query('insert into fleet select * from unnest($1::text[], $2::text[], $3::text[], $4::bytea[])', [
      ids(),
      ids(),
      ids(),
      hashes,
    ])
    await client.query(`insert into core.tenants (id, name, sandbox) select tenant, 'School', true from fleet`)
    await client.query(
      `insert into core.employees (tenant_id, id, full_name, roles) select tenant, person, 'Mona', '{teacher}' from fleet`,
    )
    await client.query(
      `insert into core.accounts (tenant_id, id, username, password_hash, person_type, person_id, display_name)
        select tenant, person, person, '', 'employee', person, 'Mona' from fleet`,
    )
    await client.query(
      `insert into core.sessions (token_hash, tenant_id, account_id, csrf_secret, expires_at)
        select token_hash, tenant, person, token_hash, now() + interval '1 hour' from fleet`,
    )
    await client.query(
      `insert into core.installations (tenant_id, id, app_id, version_id, granted_scopes, rate_limited)
        select f.tenant, f.installation, i.app_id, i.version_id, i.granted_scopes, false
          from fleet f cross join
            (select n.* from core.installations n join core.apps a on a.id = n.app_id where a.slug = $1 limit 1) i`,
      [slug],
    )
    await client.query('commit')
    await client.query('analyze')
  } finally {
    await client.end()
  }
  return cookies
}
