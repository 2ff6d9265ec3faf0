import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { clusterFolder } from '../../host/database/cluster-folder.ts'
import { hasCluster, startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { databaseUser } from '../../host/database/embedded-binaries.ts'
import { temporaryFolder } from '../host/started-host.ts'
import { dataFolder, readyDataFolder } from '../support/ready-folder.ts'

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

test("a database that was made stays the data folder's, whoever may enter that by now", asRoot, (t) => {
  const user = databaseUser()
  const [data, key] = [dataFolder('partner-cluster-'), `test-${process.pid}`]
  const places = [join(data, 'postgres'), join('/var/lib/partner', `cluster-${key}`)] as const
  const remove = () => places.map((place) => rmSync(place, { recursive: true, force: true }))
  t.after(() => remove() && rmSync(data, { recursive: true }))
  const make = (place: string) => {
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'PG_VERSION'), '18\n')
  }
  for (const place of places) {
    make(place)
    for (const mode of [0o700, 0o755]) {
      chmodSync(data, mode)
      assert.equal(clusterFolder(data, user, key), place, `mode ${mode.toString(8)}`)
    }
    remove()
  }
  places.map(make)
  assert.throws(() => clusterFolder(data, user, key), {
    name: 'SettingError',
    message: `DATA_DIR takes a folder with one database (one is in ${places[0]}, one in ${places[1]}: move that away which is not meant)`,
  })
})

test(
  "a database that PostgreSQL's user cannot reach or does not own is refused, with what to do",
  asRoot,
  async (t) => {
    const data = readyDataFolder('partner-cluster-')
    t.after(() => rmSync(data, { recursive: true }))
    const start = () => startEmbeddedDatabase(data, { fast: true })
    await (await start()).stop()
    const { name, uid, gid } = databaseUser()!
    const cluster = join(data, 'postgres')

    chmodSync(data, 0o700)
    await assert.rejects(start(), {
      name: 'SettingError',
      message: `DATA_DIR takes a folder whose database ${name} can reach (${data} is closed to it: chmod o+x ${data})`,
    })
    chmodSync(data, 0o755)
    chownSync(cluster, 0, 0)
    await assert.rejects(start(), {
      name: 'SettingError',
      message: `DATA_DIR takes a folder whose database belongs to ${name} (${cluster} does not: chown -R ${name} ${cluster})`,
    })
    chownSync(cluster, uid, gid)
    assert.ok(hasCluster(data))
    await (await start()).stop()
  },
)

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
      rmSync(closed, { recursive: true })
      chmodSync(folder.path, 0o755)
      mkdirSync(closed, { mode: 0o755 })
      await (await start()).stop()
      assert.ok(existsSync(join(closed, 'postgres')), 'one that is open has its own')
    } finally {
      for (const path of kept()) rmSync(path, { recursive: true, force: true })
    }
  },
)
