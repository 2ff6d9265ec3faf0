import type { Rpc } from '../../host/processes/rpc.ts'
import { createAppLock } from '../../host/publishing/app-lock.ts'
import { rollBackApp } from '../../host/publishing/roll-back-app.ts'
import type { TestDatabase } from './database.ts'

/** A publisher that rolls back, in this process, and answers all else with nothing. */
export function rollingBack(
  { admin, connection, superuser }: TestDatabase,
  { system = admin, clock = () => new Date() } = {},
): Rpc {
  const withAppLockForRollBack = createAppLock(superuser)
  const used = { system, provisioning: admin, suffix: connection.suffix, clock, withAppLockForRollBack }
  type Asked = { method: string; argument: Parameters<typeof rollBackApp>[1] }
  return {
    async call(_process, asked) {
      const { method, argument } = asked as Asked
      return (method === 'rollBack' ? await rollBackApp(used, argument) : {}) as never
    },
  }
}
