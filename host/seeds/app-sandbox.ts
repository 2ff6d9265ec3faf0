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

/**
 * Makes the app's own sandbox tenant: a small school and four people named `<slug>.<role>`. Nothing where it exists.
 * It is written after `earlier`; its passwords are hashed meanwhile.
 */
export async function seedAppSandbox(
  database: CoreDatabase,
  formsKey: Buffer,
  slug: string,
  earlier?: Promise<unknown>,
): Promise<string> {
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
    earlier,
  )
  return tenantId
}

/** The own sandbox of each app, side by side, but written one after the other and after `school`: the numbers never vary. */
export function seedAppSandboxes(
  database: CoreDatabase,
  formsKey: Buffer,
  slugs: readonly string[],
  school: Promise<unknown>,
): Promise<string>[] {
  const seeded: Promise<string>[] = []
  for (const slug of slugs) seeded.push(seedAppSandbox(database, formsKey, slug, seeded.at(-1) ?? school))
  return seeded
}
