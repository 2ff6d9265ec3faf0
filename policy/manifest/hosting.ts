import { isRecord } from './declared.ts'

const providers = ['notification', 'payment'] as const

/**
 * Whether an app's code runs here: it must where its type or its provider's delivery says so, and may not where its partner
 * hosts it. A provider that is called over HTTP may have some. Source: specification, integration types.
 */
export function codeHere(manifest: unknown): 'needed' | 'allowed' | 'refused' {
  if (!isRecord(manifest)) return 'allowed'
  const { integrationType: type } = manifest
  if (type === 'embedded') return 'needed'
  if (type === 'external') return 'refused'
  const block = providers.includes(type as never) ? manifest[type as (typeof providers)[number]] : undefined
  const delivery = isRecord(block) ? block.delivery : undefined
  return delivery === 'embedded' || delivery === 'hybrid' ? 'needed' : 'allowed'
}

/**
 * Whether a file is of the server that an app's partner runs elsewhere: `server/` of an app whose code may not run here. It is
 * neither judged nor sent.
 */
export const isPartnersOwn = (code: ReturnType<typeof codeHere>, name: string): boolean =>
  code === 'refused' && name.startsWith('server/')
