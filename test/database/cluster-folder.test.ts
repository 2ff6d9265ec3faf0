import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { clusterFolder, databaseUser } from '../../host/database/embedded-binaries.ts'
import { temporaryFolder } from '../host/started-host.ts'

const folder = temporaryFolder()
after(() => folder.remove())
const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root runs PostgreSQL as another user' }

test("a database lies in its data folder, or in the system's where PostgreSQL's user cannot enter", asRoot, () => {
  const user = databaseUser()
  assert.equal(clusterFolder(folder.path, user, 'key'), join(folder.path, 'postgres'))
  chmodSync(folder.path, 0o700)
  assert.equal(clusterFolder(folder.path, user, 'key'), '/var/lib/partner/cluster-key')
  assert.equal(clusterFolder(folder.path, null, 'key'), join(folder.path, 'postgres'))
})
