import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const require = createRequire(import.meta.url)

/** Runs a development tool's script on the Node of this test, in `folder`. */
export async function runTool(
  folder: string,
  [name, script]: [string, string],
  ...args: string[]
): Promise<{ code: number; output: string }> {
  const file = join(dirname(require.resolve(`${name}/package.json`)), script)
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined, REDOCLY_TELEMETRY: 'off' }
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file, ...args], {
      ...{ cwd: folder, env, maxBuffer: 1e8 },
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}
