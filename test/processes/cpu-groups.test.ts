import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { findCpuGroups, groupFolders } from '../../host/processes/cpu-groups.ts'
import { startSandbox } from '../isolates/support.ts'

const folder = mkdtempSync(join(tmpdir(), 'partner-cgroups-'))
after(() => rmSync(folder, { recursive: true }))

/** Where groups may be made in a system whose `/proc` says so of this process. */
function foldersOf(mounts: string[], groups: string[]): string[] {
  const procPath = mkdtempSync(join(folder, 'proc-'))
  mkdirSync(join(procPath, 'self'))
  writeFileSync(join(procPath, 'self', 'mountinfo'), `${mounts.join('\n')}\n`)
  writeFileSync(join(procPath, 'self', 'cgroup'), `${groups.join('\n')}\n`)
  return groupFolders(procPath).map((found) => found.folder)
}
const mount = (root: string, path: string, kind: string, options: string) =>
  `31 23 0:28 ${root} ${path} rw,relatime - ${kind} cgroup ${options}`

test('the CPU controller of the first version is found by its mount, alone or with another', () => {
  const cpu = mount('/', '/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'rw,cpu,cpuacct')
  const memory = mount('/', '/sys/fs/cgroup/memory', 'cgroup', 'rw,memory')
  const unified = mount('/', '/sys/fs/cgroup/unified', 'cgroup2', 'rw')
  const groups = ['4:memory:/other', '1:cpu,cpuacct:/school/platform', '0::/']
  assert.deepEqual(foldersOf([memory, unified, cpu], groups), ['/sys/fs/cgroup/cpu,cpuacct/school/platform'])
})

test('a container that sees its own group as the root of the mount makes groups there', () => {
  const cpu = mount('/docker/4f', '/sys/fs/cgroup/cpu', 'cgroup', 'rw,cpu')
  assert.deepEqual(foldersOf([cpu], ['1:cpu:/docker/4f']), ['/sys/fs/cgroup/cpu'])
  assert.deepEqual(foldersOf([cpu], ['1:cpu:/docker/4f/inner']), ['/sys/fs/cgroup/cpu/inner'])
})

test('in the second version: the own group, or the unit around it that delegates, never a slice', () => {
  const unified = mount('/', '/sys/fs/cgroup', 'cgroup2', 'rw')
  const found = (path: string) => foldersOf([unified], [`0::${path}`])
  assert.deepEqual(found('/'), ['/sys/fs/cgroup'])
  assert.deepEqual(found('/system.slice/partner.service'), ['/sys/fs/cgroup/system.slice/partner.service'])
  assert.deepEqual(found('/system.slice/partner.service/platform'), [
    '/sys/fs/cgroup/system.slice/partner.service/platform',
    '/sys/fs/cgroup/system.slice/partner.service',
  ])
})

test('where there are none, or another system, the start log says so', () => {
  assert.equal(findCpuGroups({ platform: 'linux', procPath: folder }), 'this system does not allow it')
  assert.equal(findCpuGroups({ platform: 'darwin', procPath: '/proc' }), 'there is none on darwin')
})

const groups = findCpuGroups({ platform: process.platform, procPath: '/proc' })
const real = typeof groups === 'string' ? { skip: `control groups: ${groups}` } : {}
const groupOf = (pid: number | string | undefined) =>
  groupFolders('/proc')
    .map((found) => join(found.folder, `partner-guest-${pid}`))
    .find(existsSync)
const said = (group: string | undefined, file: string) => readFileSync(join(group!, file), 'utf8').trim()

test('a runner has the CPU only while nobody else wants it, and its group goes with it', real, async () => {
  const sandbox = await startSandbox({}, { runners: 1, spares: 0 })
  try {
    assert.equal((await sandbox.run('any', '() => 1')).ok, true)
    for (const { pid } of sandbox.pool.stats().runners) {
      for (const end = performance.now() + 10_000; said(groupOf(pid), 'cpu.idle') !== '1'; ) {
        assert.ok(performance.now() < end, 'idle in time')
        await new Promise((look) => setTimeout(look, 20))
      }
      assert.equal(said(groupOf(pid), 'cgroup.procs'), String(pid))
    }
    const pids = sandbox.pool.stats().runners.map(({ pid }) => pid)
    await sandbox.close()
    assert.deepEqual(
      pids.map((pid) => groupOf(pid)),
      [undefined, undefined],
    )
  } finally {
    await sandbox.close()
  }
})

test(
  'a third of a share, a share like anybody’s, and back; what a killed host left is gone at the next start',
  real,
  async () => {
    assert.ok(typeof groups !== 'string')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    await once(child, 'spawn')
    const group = groups(child.pid!)
    const path = groupOf(child.pid!)
    const file = existsSync(join(path!, 'cpu.weight')) ? 'cpu.weight' : 'cpu.shares'
    const ordinary = Number(said(path, file))
    group?.rank('low')
    assert.ok(Math.abs(Number(said(path, file)) / ordinary - 0.33) < 0.01)
    group?.rank('last')
    assert.equal(said(path, 'cpu.idle'), '1')
    group?.rank('ordinary')
    assert.deepEqual([said(path, 'cpu.idle'), Number(said(path, file))], ['0', ordinary])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    assert.equal(existsSync(path!), true)
    findCpuGroups({ platform: process.platform, procPath: '/proc' })
    assert.equal(existsSync(path!), false)
    assert.equal(groups(child.pid!), undefined, 'no group for a process that is gone')
    assert.equal(existsSync(path!), false)
  },
)
