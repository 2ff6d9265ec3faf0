import { isStorableJson } from '../../../partner-services/service/schemas.ts'
import { takeText } from '../../isolates/client/guest-text.ts'
import type { Bundle } from '../../embedded-apps/installed-modules.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { fileFinding, refused } from '../refused.ts'

/** Asks the module, in a quarantined isolate without any authority, what it contributes. */
export async function discover(
  context: PublisherContext,
  slug: string,
  bundle: Bundle,
): Promise<Record<string, unknown>> {
  const answer = await context.client.call({
    installation: { id: `discovery:${bundle.hash}`, app: slug, version: bundle.hash, tenantId: '' },
    loadBundle: async () => bundle,
    entry: 'describe',
    input: '{}',
    serve: async () => {
      throw Object.assign(new Error('nothing can be reached while a module is discovered'), {
        code: 'forbidden',
        status: 403,
      })
    },
    quarantine: true,
  })
  context.client.drop(`discovery:${bundle.hash}`)
  if (!answer.ok) {
    const { kind, message, stack } = answer.error
    throw notLoaded(kind, message, stack)
  }
  const { result } = answer
  const contributions = JSON.parse('json' in result ? result.json : takeText(result)) as Record<string, unknown>
  if (!isStorableJson(contributions))
    throw notLoaded('unserialisable', 'a path or a name holds NUL, or half a character')
  return contributions
}

const notLoaded = (rule: string, message: string, stack = message) =>
  refused(`the module does not load: ${message}`, [fileFinding(rule, 'src/index.ts', stack)])
