import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Ended, temporaryFolder } from '../host/started-host.ts'

const launcher = fileURLToPath(new URL('../../host/launch.mjs', import.meta.url))
/** Where every verb of a test file runs. */
export const folder = temporaryFolder()
after(() => folder.remove())

/** `partner …` in a folder of its own, with a text on standard input. */
export function partner(args: string[], input = '', settings: Record<string, string> = {}): Promise<Ended> {
  const env = { ...process.env, ...settings }
  const child = spawn(process.execPath, [launcher, ...args], { cwd: folder.path, env, stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => (stdout += text))
  child.stderr.on('data', (text) => (stderr += text))
  child.stdin.end(input)
  return new Promise((done) => child.once('close', (code) => done({ code, stdout, stderr })))
}

/** Of util-linux: a command has a terminal of its own there. */
const script = '/usr/bin/script'
export const withoutTerminal = process.platform === 'linux' && existsSync(script) ? false : `no ${script} here`

/** The same on a terminal, where `keys` are pressed once it shows `prompt`. `shown` is all that the terminal was sent. */
export function partnerOnTerminal(args: string[], prompt: string, keys: string, settings: Record<string, string>) {
  const words = [process.execPath, launcher, ...args].map((word) => `'${word}'`)
  const command = ['-qec', `stty cols 100 rows 30; exec ${words.join(' ')}`, '/dev/null']
  const child = spawn(script, command, { cwd: folder.path, env: { ...process.env, ...settings }, stdio: 'pipe' })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const was = shown.includes(prompt)
    shown += text
    if (!was && shown.includes(prompt)) child.stdin.write(keys)
  })
  return new Promise<{ code: number | null; shown: string }>((done) =>
    child.once('close', (code) => done({ code, shown })),
  )
}

/** Stands for a host that answers one request, a POST's body or else its address; the settings let `partner` find it. */
export async function oneAnswer(answer: object | string, status = 200) {
  const { promise: asked, resolve } = Promise.withResolvers<unknown>()
  const server = createServer(async (request, response) => {
    resolve(request.method === 'POST' ? await json(request) : request.url)
    response.statusCode = status
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  mkdirSync(join(folder.path, '.partner'), { recursive: true })
  writeFileSync(join(folder.path, `.partner/127.0.0.1:${port}.json`), JSON.stringify({ url, token: 'op_x' }))
  return { url, asked, settings: { HOME: folder.path } }
}
