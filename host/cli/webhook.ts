import { appPath, type ForApp, ifPaused, type Paused } from './deliveries.ts'
import { askPortal, print, reportRefusal } from './operator-client.ts'

/** Times are texts on their way. */
type Webhook = { url: string | null; events: string[]; failing_since: string | null } & Paused

/** Where an app's events go, and how its server fares. */
export async function show({ app, ...options }: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal<{ webhook: Webhook }>(options.url, appPath(app, '/webhook'))
    print(options, answer, ({ webhook }) => [
      webhook.url ?? 'no webhook',
      ...(webhook.events.length > 0 ? [webhook.events.join(', ')] : []),
      ...(webhook.failing_since ? [`fails since ${webhook.failing_since}`] : []),
      ...ifPaused(app, webhook),
    ])
  })
}

/** Ends a pause: everything that waited is due. */
export async function resume({ app, ...options }: ForApp): Promise<void> {
  await reportRefusal(options, async () => {
    const answer = await askPortal(options.url, appPath(app, '/webhook/resume'), {})
    print(options, answer, () => [`${app} is sent again what waited`])
  })
}

/** Sends an event with invented data. */
export async function test({ app, event, ...options }: ForApp & { event?: string }): Promise<void> {
  await reportRefusal(options, async () => {
    const path = appPath(app, '/webhook/test')
    const answer = await askPortal<{ delivery: { id: string } } & Paused>(options.url, path, event ? { event } : {})
    print(options, answer, ({ delivery, paused_at }) => [
      `${delivery.id} ${paused_at ? 'waits' : 'is on its way'}`,
      ...ifPaused(app, answer),
    ])
  })
}
