import type { Page } from '../../partner-services/service/ports.ts'
import type { DeliverySummary } from '../events/deliveries.ts'
import { askPortal, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** Times are texts on their way. */
type Summary = Omit<DeliverySummary, 'created_at'> & { created_at: string }
type ForApp = RemoteOptions & { app: string }

const pathOf = (app: string, path: string) => `/apps/${encodeURIComponent(app)}${path}`

type Filter = { state?: string; page?: string; perPage?: string }

/** One page of an app's deliveries, newest first. */
export async function list({ app, state, page, perPage, ...options }: ForApp & Filter): Promise<void> {
  await reportRefusal(options, async () => {
    const query = new URLSearchParams({
      ...(state && { state }),
      ...(page && { page }),
      ...(perPage && { per_page: perPage }),
    })
    const answer = await askPortal<Page<Summary>>(options.url, pathOf(app, `/deliveries?${query}`))
    print(options, answer, ({ data, total, current_page, last_page }) => [
      ...data.map(({ id, event, state: now, created_at }) => `${id}  ${now.padEnd(10)} ${created_at}  ${event}`),
      `${data.length} of ${total}${last_page > 1 ? `, page ${current_page} of ${last_page}` : ''}`,
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
