import type { DeliverySummary } from '../events/deliveries.ts'
import { askPortal, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** Times are texts on their way. */
type Summary = Omit<DeliverySummary, 'created_at'> & { created_at: string }
type ForApp = RemoteOptions & { app: string }

const pathOf = (app: string, path: string) => `/apps/${encodeURIComponent(app)}${path}`

export async function list(options: ForApp & { state?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const query = options.state ? `?state=${encodeURIComponent(options.state)}` : ''
    const path = pathOf(options.app, `/deliveries${query}`)
    const answer = await askPortal<{ data: Summary[]; total: number }>(options.url, path)
    print(options, answer, ({ data, total }) => [
      ...data.map(({ id, event, state, created_at }) => `${id}  ${state.padEnd(10)} ${created_at}  ${event}`),
      `${data.length} of ${total}`,
    ])
  })
}

export async function show(id: string, options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal(options.url, pathOf(options.app, `/deliveries/${encodeURIComponent(id)}`))
    print(options, answer, (shown) => [JSON.stringify(shown, null, 2)])
  })
}

const notReplayable =
  'It is no delivery of this app, is under way, or its school uninstalled the app or took back its scope'

export async function replay(ids: string[], options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const path = pathOf(options.app, '/deliveries/replay')
    const answer = await askPortal<{ replayed: string[] }>(options.url, path, { ids })
    const left = ids.filter((id) => !answer.replayed.includes(id.toLowerCase()))
    if (left.length > 0) throw new Refused(`not sent again: ${left.join(', ')}. ${notReplayable}`, answer)
    print(options, answer, ({ replayed }) => replayed.map((id) => `${id} is sent again`))
  })
}

export async function testWebhook(options: ForApp & { event?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const body = options.event ? { event: options.event } : {}
    const path = pathOf(options.app, '/webhook/test')
    const answer = await askPortal<{ delivery: { id: string } }>(options.url, path, body)
    print(options, answer, ({ delivery }) => [`${delivery.id} is on its way`])
  })
}
