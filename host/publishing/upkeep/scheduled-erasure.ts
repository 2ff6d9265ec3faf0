import { eraseDueInstallations } from '../../installations/erase.ts'
import type { moduleRowMethods } from './module-rows.ts'
import type { PublisherContext } from '../publisher-context.ts'

const everyHour = 3_600_000

/**
 * Erases, at start and every hour, what was uninstalled 28 days ago. Runs in the publisher: certificates are signed with
 * its key, and a module's rows are its schema's owner's. What fails is logged and tried again the next time.
 */
export function scheduleErasure(
  context: PublisherContext,
  rows: ReturnType<typeof moduleRowMethods>,
): { stop(): Promise<void> } {
  const { core, system, clock, keys, logger } = context
  let running: Promise<void> = erase()
  const timer = setInterval(() => {
    running = running.then(erase)
  }, everyHour)

  async function erase(): Promise<void> {
    try {
      const certificates = await eraseDueInstallations({
        core: core.tenants,
        system,
        clock,
        signingKey: keys.signing,
        eraseModuleRows: rows.eraseModuleRows,
        // Modules keep no files yet: nothing of theirs is on disk.
        eraseFiles: async () => [],
        failed: (installation, error) =>
          logger.error({ err: error, installation }, 'an installation is not erased yet'),
      })
      if (certificates.length > 0) logger.info({ certificates: certificates.length }, 'installations erased')
    } catch (error) {
      logger.error({ err: error }, 'erasure failed')
    }
  }

  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
