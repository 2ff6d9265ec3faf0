import { readModuleFiles } from '../publishing/source/package-files.ts'
import type { Published } from '../publishing/publish.ts'
import { askHost, askPortal, isPartner, print, type RemoteOptions, reportRefusal } from './operator-client.ts'
import { stateLines } from './version.ts'

type PublishOptions = RemoteOptions & { approve?: boolean; draft?: boolean }

/** Checks, stores and submits a version; `--draft` leaves it open for editing. */
export async function publish(dir: string, options: PublishOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const files = await readModuleFiles(dir)
    const submit = !options.draft && !options.approve
    // `--approve` is the operator's: as a partner it is refused there.
    const asPartner = isPartner(options.url) && !options.approve
    const answer = asPartner
      ? await askPortal<Published>(options.url, '/publish', { files, submit })
      : await askHost<Published>(options.url, '/publish', { files, submit, approve: options.approve ?? false })
    print(options, answer, ({ slug, version, state, migrations, warnings }) => [
      ...stateLines(slug, version, state),
      ...(warnings > 0 ? [`  ${warnings} warnings: partner scan shows them`] : []),
      ...migrations.map((file) => `  applied ${file}`),
    ])
  })
}
