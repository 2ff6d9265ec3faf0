import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { clusterFolder } from '../../host/database/cluster-folder.ts'
import { hasCluster, startEmbeddedDatabase } from '../../host/database/embedded.ts'
import { closedFolder, databaseUser } from '../../host/database/embedded-binaries.ts'
import { connected } from '../module-database/support.ts'
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

test('a data folder keeps its database when it is moved, and is refused, not begun anew, when it lost that', async (t) => {
  const [data, moved] = [readyDataFolder('partner-place-'), `${dataFolder('partner-place-')}/moved`]
  t.after(() => [data, join(moved, '..')].map((path) => rmSync(path, { recursive: true, force: true })))
  await (await startEmbeddedDatabase(data, { fast: true })).stop()
  renameSync(data, moved)
  assert.ok(hasCluster(moved))
  rmSync(join(moved, 'postgres'), { recursive: true })
  const refused = {
    name: 'SettingError',
    message: `DATA_DIR takes the folder with its database (it was in ${join(moved, 'postgres')}, which holds none)`,
  }
  assert.throws(() => hasCluster(moved), refused)
  await assert.rejects(startEmbeddedDatabase(moved, { fast: true }), refused)
  assert.ok(!existsSync(join(moved, 'postgres')))
})

test(
  "a database in the system's folder is its data folder's, moved or reached by a link, and no copy's",
  asRoot,
  async (t) => {
    const root = dataFolder('partner-place-')
    chmodSync(root, 0o700)
    const [data, moved, link, copy] = ['data', 'moved', 'link', 'copy'].map((name) => join(root, name))
    const start = async (folder: string) => {
      const { superuser, stop } = await startEmbeddedDatabase(folder, { fast: true })
      const client = await connected(superuser)
      const { rows } = await client.query<{ folder: string }>(`select current_setting('data_directory') as folder`)
      await client.end()
      await stop()
      return rows[0]!.folder
    }
    const cluster = await start(data!)
    t.after(() => [root, cluster].map((path) => rmSync(path, { recursive: true, force: true })))
    assert.match(cluster, /^\/var\/lib\/partner\/cluster-/)
    renameSync(data!, moved!)
    assert.equal(await start(moved!), cluster)
    symlinkSync(moved!, link!)
    assert.equal(await start(link!), cluster)
    execFileSync('cp', ['-a', moved!, copy!])
    await assert.rejects(start(copy!), {
      name: 'SettingError',
      message: `DATA_DIR takes a folder with a database of its own (the one in ${cluster} is that of ${moved}: copy it to ${copy}/postgres and remove ${copy}/database-place)`,
    })
  },
)

test("a folder that PostgreSQL's user may not enter is found behind a link too", asRoot, (t) => {
  const root = dataFolder('partner-link-')
  t.after(() => rmSync(root, { recursive: true }))
  const [closed, link] = [join(root, 'closed'), join(root, 'link')]
  mkdirSync(join(closed, 'data'), { recursive: true })
  symlinkSync(join(closed, 'data'), link)
  assert.equal(closedFolder(join(link, 'postgres'), databaseUser()), undefined)
  chmodSync(closed, 0o700)
  assert.equal(closedFolder(join(link, 'postgres'), databaseUser()), closed)
})
