import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { schoolFilesLimit } from '../http/server-limits.ts'
import { isRead } from '../school-import/files.ts'
import type { SchoolImported } from '../school-import/import-school.ts'
import { askHost, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function importSchool(
  dir: string,
  options: RemoteOptions & { tenant: string; org?: string },
): Promise<void> {
  await reportRefusal(options, async () => {
    const names = readdirSync(dir).filter(isRead)
    requireSendable(names.map((name) => ({ name, size: statSync(join(dir, name)).size })))
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name)).toString('base64')]))
    const answer = await askHost<SchoolImported>(options.url, '/import-school', {
      tenant: options.tenant,
      files,
      org: options.org,
    })
    print(options, answer, ({ imported, released }) =>
      Object.entries({ ...imported, 'students who left': released }).map(
        ([table, count]) => `${table.padEnd(17)} ${count}`,
      ),
    )
  })
}

/** A host reads no further than its limit: it could not say which file is too large. */
function requireSendable(files: { name: string; size: number }[]): void {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total <= schoolFilesLimit) return
  const largest = files.reduce((one, other) => (other.size > one.size ? other : one))
  throw new Refused(
    `the files are ${megabytes(total)}, ${largest.name} ${megabytes(largest.size)} of them, and a host takes ` +
      `${megabytes(schoolFilesLimit)} at once, out of which --org picks its school: take rows of other schools out before`,
    null,
  )
}

const megabytes = (bytes: number): string => `${(Math.ceil(bytes / 100_000) / 10).toFixed(1)} MB`
