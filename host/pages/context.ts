import type pg from 'pg'
import type { Settings } from '../config.ts'
import type { CoreDatabase } from '../database/core-database.ts'
import type { InstalledModules } from '../embedded-apps/installed-modules.ts'
import type { ModuleCalls } from '../embedded-apps/module-calls.ts'
import type { CurrentSession } from '../sessions/current-session.ts'
import type { Sanitiser } from './sanitise/sanitiser.ts'

/** What the web process gives its pages. */
export type PagesOptions = {
  settings: Pick<Settings, 'PARTNERS_AUDIENCE_GUARD_MODE'>
  system: pg.Pool
  database: CoreDatabase
  modules: InstalledModules
  moduleCalls: ModuleCalls
  keys: { forms: Buffer }
  clock: () => Date
}

/** What each page is served with. */
export type PagesContext = PagesOptions & { sessions: CurrentSession; sanitiser: Sanitiser }
