import { readSourceFiles } from '../publishing/source-files.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Published = { slug: string; version: string; state: string; migrations: string[] }

export async function publish(dir: string, options: RemoteOptions & { approve?: boolean }): Promise<void> {
  await reportRefusal(options, async () => {
    const body = { files: readSourceFiles(dir), approve: options.approve ?? false }
    const answer = await askHost<Published>(options.url, '/publish', body)
    print(options, answer, ({ slug, version, state, migrations }) => [
      `${slug} ${version}: ${state}`,
      ...migrations.map((file) => `  applied ${file}`),
    ])
  })
}
