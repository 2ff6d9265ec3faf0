import type { Page } from '../../partner-services/service/ports.ts'
import type { DeliverySummary } from '../events/deliveries.ts'
import { askPortal, print, Refused, type RemoteOptions, reportRefusal } from './operator-client.ts'

/** Times are texts on their way. */
type Summary = Omit<DeliverySummary, 'created_at'> & { created_at: string }
export type ForApp = RemoteOptions & { app: string }
export type Paused = { paused_at: string | null }

export const appPath = (app: string, path: string) => `/apps/${encodeURIComponent(app)}${path}`

/** Why nothing is sent, and what ends that. */
export const ifPaused = (app: string, { paused_at }: Paused): string[] =>
  paused_at ? [`the endpoint is paused since ${paused_at}: partner webhook resume --app ${app} sends what waits`] : []

type Filter = { state?: string; page?: string; perPage?: string }

/** One page of an app's deliveries, newest first. */
export async function list({ app, state, page, perPage, ...options }: ForApp & Filter): Promise<void> {
  await reportRefusal(options, async () => {
    const query = new URLSearchParams({
      ...(state && { state }),
      ...(page && { page }),
      ...(perPage && { per_page: perPage }),
    })
    const answer = await askPortal<Page<Summary> & Paused>(options.url, appPath(app, `/deliveries?${query}`))
    print(options, answer, ({ data, total, current_page, last_page }) => [
      ...data.map(({ id, event, state: now, created_at }) => `${id}  ${now.padEnd(10)} ${created_at}  ${event}`),
      `${data.length} of ${total}${last_page > 1 ? `, page ${current_page} of ${last_page}` : ''}`,
      ...ifPaused(app, answer),
    ])
  })
}

export async function show(id: string, options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal(options.url, appPath(options.app, `/deliveries/${encodeURIComponent(id)}`))
    print(options, answer, (shown) => [JSON.stringify(shown, null, 2)])
  })
}

const notReplayable =
  'It is no delivery of this app, is under way, or its school uninstalled the app or took back its scope'

export async function replay(ids: string[], options: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const path = appPath(options.app, '/deliveries/replay')
    const answer = await askPortal<{ replayed: string[] } & Paused>(options.url, path, { ids })
    const left = ids.filter((id) => !answer.replayed.includes(id.toLowerCase()))
    if (left.length > 0) throw new Refused(`not sent again: ${left.join(', ')}. ${notReplayable}`, answer)
    print(options, answer, ({ replayed, paused_at }) => [
      ...replayed.map((id) => `${id} ${paused_at ? 'waits' : 'is sent again'}`),
      ...ifPaused(options.app, answer),
    ])
  })
}

/** Sends again everything since a moment that did not arrive. */
export async function recover({ app, since, ...options }: ForApp & { since: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const path = appPath(app, '/deliveries/recover')
    const answer = await askPortal<{ recovered: number } & Paused>(options.url, path, { since })
    print(options, answer, ({ recovered, paused_at }) => [
      `${recovered} ${paused_at ? 'wait' : 'are sent again'}`,
      ...ifPaused(app, answer),
    ])
  })
}
