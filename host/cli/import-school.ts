import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRead } from '../school-import/files.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

export async function importSchool(dir: string, options: RemoteOptions & { tenant: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const names = readdirSync(dir).filter(isRead)
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(dir, name)).toString('base64')]))
    const answer = await askHost<{ imported: Record<string, number> }>(options.url, '/import-school', {
      tenant: options.tenant,
      files,
    })
    print(options, answer, ({ imported }) =>
      Object.entries(imported).map(([table, count]) => `${table.padEnd(16)} ${count}`),
    )
  })
}
