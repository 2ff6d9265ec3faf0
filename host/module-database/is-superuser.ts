import type pg from 'pg'

/** Whether this session may do all; on a managed server even the provisioning credential may not. */
export async function isSuperuser(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ superuser: string }>(`select current_setting('is_superuser') as superuser`)
  return rows[0]?.superuser === 'on'
}
