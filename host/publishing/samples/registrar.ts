import { ulid } from 'ulid'
import { scopeCatalog } from '../../../partner-services/scopes/catalog.ts'
import { installInSharedSandbox } from './sandbox-installs.ts'
import type { PublisherContext } from '../publisher-context.ts'

/** The external app that the sandbox school has installed, with every scope that is not dangerous. */
export async function registerRegistrar(context: PublisherContext): Promise<void> {
  const scopes = scopeCatalog.filter(({ dangerous, active }) => active && !dangerous).map(({ key }) => key)
  const manifest = {
    moduleId: 'registrar',
    displayName: 'Registrar',
    version: '1.0.0',
    category: 'administration',
    description: 'The sample external app.',
    integrationType: 'external',
    scopes: scopes.map((key) => ({ key, required: true, reason: 'To show what the runtime API offers.' })),
  }
  await context.system.query(
    `with app as (
      insert into core.apps (id, slug, integration_type, display_name) values ($1, 'registrar', 'external', 'Registrar')
        on conflict (slug) do nothing returning id)
    insert into core.app_versions (id, app_id, version, state, manifest, published_at) select $2, id, '1.0.0', 'published', $3, $4 from app`,
    [ulid(), ulid(), JSON.stringify(manifest), context.clock()],
  )
  await installInSharedSandbox(context, 'registrar')
}
