import type pg from 'pg'
import type { Settings } from '../config.ts'
import type { InstalledModules } from '../embedded-apps/installed-modules.ts'
import type { ModuleCalls } from '../embedded-apps/module-calls.ts'
import type { Epoch } from '../security/remembered.ts'
import type { CurrentSession } from '../sessions/current-session.ts'
import type { AudienceOf } from './audience.ts'
import type { Sanitiser } from './sanitise/sanitiser.ts'

/** What the web process gives its pages. */
export type PagesOptions = {
  settings: Pick<Settings, 'PARTNERS_AUDIENCE_GUARD_MODE' | 'PUBLIC_URL'>
  system: pg.Pool
  modules: InstalledModules
  moduleCalls: ModuleCalls
  keys: { forms: Buffer }
  clock: () => Date
  sanitiser: Sanitiser
  /** Says how long what is remembered of sessions may be used. */
  epoch: Epoch
}

/** What each page is served with. */
export type PagesContext = PagesOptions & { sessions: CurrentSession; audienceOf: AudienceOf }
