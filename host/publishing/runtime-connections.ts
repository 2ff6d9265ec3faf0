import { type Settings, webProcessCount } from '../config.ts'
import { sessionsPerRole } from '../module-database/module-database.ts'

/** How many sessions of one module's role the web processes of this host may open. */
export const runtimeConnections = (settings: Pick<Settings, 'WEB_PROCESSES'>): number =>
  sessionsPerRole * webProcessCount(settings)
