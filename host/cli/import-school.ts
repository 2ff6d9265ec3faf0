import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRead } from '../school-import/files.ts'
import type { SchoolImported } from '../school-import/import-school.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function importSchool(
  dir: string,
  options: RemoteOptions & { tenant: string; org?: string },
): Promise<void> {
  await reportRefusal(options, async () => {
    const names = readdirSync(dir).filter(isRead)
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
