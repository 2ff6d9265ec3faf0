import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from '../config.ts'
import { startHost } from '../main.ts'
import { forgetEnvironment } from '../processes/child-process.ts'
import type { Sandbox } from '../operator/sandbox.ts'
import { readModuleFiles } from '../publishing/source/package-files.ts'
import { askHost } from './operator-client.ts'

/**
 * A host for one module's tests: a folder and a port of its own, the module published and installed in the sandbox
 * school. Prints one JSON line when it is ready and lives until its standard input closes or a signal ends it.
 */
export async function testHost(dir: string): Promise<void> {
  const signalled = endingSignal()
  const folder = mkdtempSync(join(tmpdir(), 'partner-test-host-'))
  // Where root runs this, PostgreSQL's own user finds its way, and the database goes with the folder.
  chmodSync(folder, 0o755)
  const settings = {
    ...readSettings({ PORT: '0', LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' }),
    DATA_DIR: folder,
    RUNNERS: 1,
  }
  forgetEnvironment()
  const host = await startHost(settings, { samples: false })
  const stop = async () => {
    try {
      await host.stop()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  try {
    const { slug } = await askHost<{ slug: string }>(host.url, '/publish', {
      files: await readModuleFiles(dir),
      approve: true,
    })
    const { tenants } = await askHost<Sandbox>(host.url, '/sandbox')
    const [tenant] = tenants
    const { app } = await askHost<{ app: { scopes: { key: string; required: boolean }[] } }>(host.url, `/apps/${slug}`)
    // The least that a school may grant: what a module does without an optional scope shows in its tests.
    const scopes = app.scopes.filter(({ required }) => required).map(({ key }) => key)
    await askHost(host.url, '/install', { slug, tenant: tenant!.id, scopes })
    const { tenants: after } = await askHost<Sandbox>(host.url, '/sandbox')
    const users = Object.fromEntries(tenant!.users.map((user) => [user.username, user]))
    const token = after[0]!.installations.find(({ app }) => app === slug)?.token
    console.log(JSON.stringify({ url: host.url, slug, tenant: tenant!.id, users, token }))
    await Promise.race([signalled, standardInputClosed()])
  } finally {
    process.stdin.pause()
    await stop()
  }
}

/** Ctrl-C reaches the tests that started this and all below them, at any moment. */
const endingSignal = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })

const standardInputClosed = () =>
  new Promise((closed) => process.stdin.resume().once('end', closed).once('close', closed))
