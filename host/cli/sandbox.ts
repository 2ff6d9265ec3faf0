import { printable } from '../../policy/printable.ts'
import type { Sandbox } from '../operator/sandbox.ts'
import { askHost, print, type RemoteOptions } from './operator-client.ts'

export async function sandbox(options: RemoteOptions): Promise<void> {
  print(options, await askHost<Sandbox>(options.url, '/sandbox'), ({ tenants, base_url }) => [
    `runtime API  ${base_url}`,
    ...tenants.flatMap((tenant) => [
      `\n${printable(tenant.name)}  tenant ${tenant.id}`,
      ...tenant.users.map(({ username, password, person_type, display_name }) =>
        printable(`  ${username.padEnd(14)} ${password}  ${person_type}, ${display_name}`),
      ),
      ...tenant.installations.map(({ app, type, token }) => `  ${app} (${type})  ${token ?? 'no token'}`),
    ]),
  ])
}
