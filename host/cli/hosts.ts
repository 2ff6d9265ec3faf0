import type { RegisteredHost } from '../operator/hosts.ts'
import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

const line = ({ host, tenant_id }: RegisteredHost): string => `${host}  ${tenant_id}`

export async function list({ tenant, ...options }: RemoteOptions & { tenant?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const path = tenant ? `/hosts?${new URLSearchParams({ tenant })}` : '/hosts'
    const answer = await askHost<{ hosts: RegisteredHost[] }>(options.url, path)
    print(options, answer, ({ hosts }) =>
      hosts.length > 0 ? hosts.map(line) : ['no school has a host name of its own'],
    )
  })
}

export async function add(host: string, { tenant, ...options }: RemoteOptions & { tenant: string }): Promise<void> {
  await reportRefusal(options, async () =>
    print(options, await askHost<RegisteredHost>(options.url, '/hosts', { host, tenant }), (added) => [line(added)]),
  )
}

export async function remove(host: string, options: RemoteOptions): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ host: string; removed: boolean }>(options.url, '/hosts/remove', { host })
    print(options, answer, ({ host: name, removed }) => [removed ? `${name} is removed` : `${name} was no school's`])
  })
}
