import { createHash } from 'node:crypto'
import type { CoreDatabase } from '../database/core-database.ts'
import { sandboxSchool } from './sandbox-school.ts'
import { type SandboxUser, sandboxUsers } from './sandbox-users.ts'
import { seedSchool } from './seed.ts'
import { smallSchool } from './small-school.ts'

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const kinds = ['administrator', 'teacher', 'student1', 'guardian1']

/** The tenant that belongs to one embedded app alone: the same id on every host. */
export function appSandboxTenant(slug: string): string {
  const bytes = createHash('sha256').update(`sandbox tenant:${slug}`).digest()
  return `01J6${Array.from(bytes.subarray(0, 22), (byte) => crockford[byte % 32]).join('')}`
}

/** Makes the app's own sandbox tenant: a small school and four people named `<slug>.<role>`. Nothing where it exists. */
export async function seedAppSandbox(database: CoreDatabase, formsKey: Buffer, slug: string): Promise<string> {
  const tenantId = appSandboxTenant(slug)
  const school = smallSchool(sandboxSchool())
  const users = sandboxUsers(school)
    .filter(({ username }) => kinds.includes(username))
    .map((user): SandboxUser => ({ ...user, username: `${slug}.${user.username}` }))
  await seedSchool(
    database,
    formsKey,
    { id: tenantId, name: `تجربة ${slug}`, nameEn: `Sandbox of ${slug}`, sandboxOf: slug },
    school,
    users,
  )
  return tenantId
}
