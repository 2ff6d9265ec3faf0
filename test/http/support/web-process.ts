import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { startWeb } from '../../support/web.ts'
import type { TestDatabase } from '../../support/database.ts'
import { keepRequestsYoung } from '../../../host/web/engine.ts'

export type WebProcess = { url: string; child: ChildProcess; stop(): Promise<void> }

const isChild = process.argv[2] === 'web-process'

/** A web server in a process of its own, over the database of this test. */
export async function startWebProcess(database: Pick<TestDatabase, 'connection'>): Promise<WebProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['web-process'], {
    env: { ...process.env, WEB_CONNECTION: JSON.stringify(database.connection), NODE_TEST_CONTEXT: undefined },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve(String(message)))
    child.once('exit', (code) => reject(new Error(`the web process ended with ${code}`)))
  })
  return {
    url,
    child,
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

if (isChild) {
  const connection = JSON.parse(process.env.WEB_CONNECTION!)
  keepRequestsYoung()
  const web = await startWeb({ connection } as TestDatabase)
  process.on('disconnect', () => void web.close())
  process.send!(web.url)
}
