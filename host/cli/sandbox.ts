import type { Sandbox } from '../operator/sandbox.ts'
import { askHost, print, type RemoteOptions } from './operator-client.ts'

export async function sandbox(options: RemoteOptions): Promise<void> {
  print(options, await askHost<Sandbox>(options.url, '/sandbox'), ({ tenants, base_url }) => [
    `runtime API  ${base_url}`,
    ...tenants.flatMap((tenant) => [
      `\n${tenant.name}  tenant ${tenant.id}`,
      ...tenant.users.map(
        (user) => `  ${user.username.padEnd(14)} ${user.password}  ${user.person_type}, ${user.display_name}`,
      ),
      ...tenant.installations.map(({ app, type, token }) => `  ${app} (${type})  ${token ?? 'no token'}`),
    ]),
  ])
}
