import { askHost, print, type RemoteOptions, reportRefusal } from './operator-client.ts'

type Summary = { id: string; event: string; state: string; attempts: number; created_at: string }
type ForApp = RemoteOptions & { app: string }

const portal = (app: string, path: string) => `/partners/api/apps/${encodeURIComponent(app)}${path}`

export async function list(options: ForApp & { state?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const query = options.state ? `?state=${encodeURIComponent(options.state)}` : ''
    const answer = await askHost<{ data: Summary[]; total: number }>(
      options.url,
      portal(options.app, `/deliveries${query}`),
    )
    print(options, answer, ({ data, total }) => [
      ...data.map(({ id, event, state, created_at }) => `${id}  ${state.padEnd(10)} ${created_at}  ${event}`),
      `${data.length} of ${total}`,
    ])
  })
}

export async function show(id: string, options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost(options.url, portal(options.app, `/deliveries/${encodeURIComponent(id)}`))
    print(options, answer, (shown) => [JSON.stringify(shown, null, 2)])
  })
}

export async function replay(ids: string[], options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askHost<{ replayed: string[] }>(options.url, portal(options.app, '/deliveries/replay'), {
      ids,
    })
    print(options, answer, ({ replayed }) => replayed.map((id) => `${id} is sent again`))
  })
}

export async function testWebhook(options: ForApp & { event?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const body = options.event ? { event: options.event } : {}
    const answer = await askHost<{ delivery: { id: string } }>(options.url, portal(options.app, '/webhook/test'), body)
    print(options, answer, ({ delivery }) => [`${delivery.id} is on its way`])
  })
}
