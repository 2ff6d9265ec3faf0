import { codeCacheMaker, compileCodeCache, sealCodeCache } from '../../isolates/code-cache.ts'
import { hashCode } from '../../security/bundle-signature.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { storeCodeCache } from '../version/store-code-cache.ts'

type Renewing = Pick<PublisherContext, 'system' | 'keys' | 'runnerJail' | 'logger'>

/**
 * Makes the code caches that installed versions lack for this host's engine: a release with another Node, say, leaves all
 * modules without one, and those of the hosts before it as they are. One at a time and of low rank, those of most schools
 * first; what fails starts without, and is tried again at the next start.
 */
export function renewCodeCaches(context: Renewing): { done: Promise<void>; stop(): Promise<void> } {
  const { logger } = context
  const stopping = new AbortController()
  const { signal } = stopping

  async function renewAll(): Promise<void> {
    const maker = codeCacheMaker(context.keys.codeCache)
    const hashes = await bundlesWithout(context, maker)
    let renewed = 0
    for (const hash of hashes) {
      try {
        await renew(context, { hash, maker, signal })
        renewed++
      } catch (error) {
        if (signal.aborted) return
        logger.warn({ err: error, bundle: hash }, 'a code cache could not be made again')
      }
    }
    if (renewed > 0) logger.info({ renewed }, 'code caches made again, for this engine')
  }
  const done = renewAll().catch((error: unknown) => {
    logger.warn({ err: error }, 'code caches are not made again before the next start')
  })
  return {
    done,
    stop() {
      stopping.abort()
      return done
    },
  }
}

async function bundlesWithout({ system }: Renewing, maker: string): Promise<string[]> {
  const { rows } = await system.query<{ hash: string }>(
    `select b.hash from core.installations i join core.app_versions v on v.id = i.version_id
        join core.app_bundles b on b.hash = v.bundle_hash
      where i.status <> 'uninstalled'
        and not exists (select from core.code_caches c where c.bundle_hash = b.hash and c.maker = $1)
      group by b.hash order by count(*) desc, b.hash`,
    [maker],
  )
  return rows.map(({ hash }) => hash)
}

async function renew(
  { system, keys, runnerJail }: Renewing,
  { hash, maker, signal }: { hash: string; maker: string; signal: AbortSignal },
): Promise<void> {
  const { rows } = await system.query<{ code: string }>('select code from core.app_bundles where hash = $1', [hash])
  const code = rows[0]?.code
  if (code === undefined || hashCode(code) !== hash) throw new Error('the stored code is not what its hash says')
  const sealed = sealCodeCache(
    await compileCodeCache(code, runnerJail(), { rank: 'low', signal }),
    hash,
    keys.codeCache,
  )
  await storeCodeCache(system, { hash, maker, cache: sealed })
}
