/** A rehearsal in a process of its own, to be killed. */
import { rehearse } from '../../../host/publishing/migrations/rehearse.ts'
import type { ImporterStart } from './importer-process.ts'
import { plan } from './support.ts'

export type RehearsalStart = ImporterStart

process.once('message', (message) => {
  const { password, gateSecret, ...start } = message as RehearsalStart
  void rehearse({ ...start, suffix: '', passwordOf: () => password, gateSecretOf: () => gateSecret, plan, rows: 10 })
})
