import { askHost, print, type RemoteOptions } from './operator-client.ts'

type Sandbox = {
  tenants: {
    id: string
    number: number
    name: string
    users: { username: string; password: string; display_name: string; person_type: string }[]
    installations: { app: string; type: string; token: string | null }[]
  }[]
  base_url: string
  sandbox_base_url: string
}

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
