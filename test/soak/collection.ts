import { runPartner, startHostProcess, temporaryFolder } from '../host/started-host.ts'
import { runCollection } from '../contract/support/newman.ts'

type Sandbox = { tenants: { installations: { app: string; token: string }[] }[] }

/** The collection with the sandbox's external app, which has 60 requests a minute: it waits for the next minute by itself. */
export async function run(): Promise<void> {
  const folder = temporaryFolder()
  const host = await startHostProcess(folder.path, [])
  try {
    const { stdout } = await runPartner(['sandbox', '--json', '--url', host.url]).ended
    const { token } = (JSON.parse(stdout) as Sandbox).tenants[0]!.installations.find(({ app }) => app === 'registrar')!
    const { code, requests, failures, statuses } = await runCollection(host.url, token)
    if (code !== 0) throw new Error(failures.join('\n'))
    console.log(`${requests} requests of a limited installation, by status: ${JSON.stringify(statuses)}`)
  } finally {
    await host.stop()
    folder.remove()
  }
}
