import { confirm, isCancel } from '@clack/prompts'
import { printable, printableEntry } from '../../policy/printable.ts'
import type { RequestedScope } from '../installations/requested-scopes.ts'
import { askHost, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

type App = { display_name: string; version: string; scopes: RequestedScope[] }
type InstallOptions = RemoteOptions & { tenant: string; scopes?: string; yes?: boolean }

export async function install(slug: string, options: InstallOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const { app } = await askHost<{ app: App | null }>(options.url, `/apps/${encodeURIComponent(slug)}`)
    if (!app) throw new Refused(`no published app ${slug}`, null)
    if (!(await consents(app, options))) throw new Refused('nothing was installed', null)
    // What was approved, and no more, should a newer version ask for more by now.
    const scopes = options.scopes?.split(',').filter(Boolean) ?? app.scopes.map(({ key }) => key)
    const answer = await askHost<{ installationId: string; scopes: string[]; token: string | null }>(
      options.url,
      '/install',
      { slug, tenant: options.tenant, scopes },
    )
    print(options, answer, ({ installationId, token }) => [
      `${slug} ${app.version} is installed: ${installationId}`,
      token ? `  token, shown once: ${token}` : '  it was installed before',
    ])
  })
}

/** Shows what the app asks for and why. Without a terminal, naming the scopes or `--yes` is the consent. */
async function consents(app: App, options: InstallOptions): Promise<boolean> {
  if (options.yes || options.scopes !== undefined) return true
  for (const { key, required, reason, dangerous } of app.scopes) {
    const line = `  ${dangerous ? '! ' : ''}${key}${required ? '' : ' (optional)'}: ${reason}`
    console.error(printableEntry(line))
  }
  if (!process.stdin.isTTY) throw new Refused('consent needs a terminal, --scopes or --yes', null)
  const answer = await confirm({ message: `Install ${printable(app.display_name)} with these scopes?` })
  return !isCancel(answer) && answer
}

export async function uninstall(slug: string, options: RemoteOptions & { tenant: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost(options.url, '/uninstall', { slug, tenant: options.tenant })
    print(options, answer, () => [`${slug} is uninstalled; its data is kept for 28 days`])
  })
}
