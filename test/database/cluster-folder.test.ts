import assert from 'node:assert/strict'
import { chmodSync, globSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startEmbeddedDatabase } from '../../host/database/embedded.ts'
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

test(
  'a data folder that was removed leaves a database behind, which is kept and does not keep a new one from starting',
  asRoot,
  async () => {
    const closed = join(folder.path, 'closed')
    const start = async () => {
      mkdirSync(closed, { recursive: true, mode: 0o700 })
      return startEmbeddedDatabase(closed, { fast: true })
    }
    const { superuser, stop } = await start()
    const [key = ''] = /[0-9a-f]{8}$/.exec(String(superuser.host)) ?? []
    const kept = () => globSync(`/var/lib/partner/cluster-${key}*`)
    try {
      await stop()
      await (await start()).stop()
      assert.equal(kept().length, 1, 'a second start takes its own')
      rmSync(closed, { recursive: true })
      await (await start()).stop()
      assert.equal(kept().length, 2)
    } finally {
      for (const path of kept()) rmSync(path, { recursive: true, force: true })
    }
  },
)
