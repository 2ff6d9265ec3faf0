import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const repositoryNames = /^GIT_(DIR|INDEX_FILE|WORK_TREE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY)$/

/** The files of a folder that differ from a git revision, those git does not know yet included; relative to the folder. */
export async function changedSince(dir: string, revision: string): Promise<Set<string>> {
  if (revision === '' || revision.startsWith('-')) throw new Error(`${JSON.stringify(revision)} is no git revision`)
  // A hook is given paths of its repository relative to another folder than this one.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !repositoryNames.test(name)))
  const git = async (...args: string[]) => {
    const { stdout } = await run('git', ['-C', dir, ...args], { env, maxBuffer: 64 * 1024 * 1024 })
    return stdout.split('\0').filter((name) => name !== '')
  }
  try {
    const [differing, untracked] = await Promise.all([
      git('diff', '--name-only', '--relative', '--no-ext-diff', '-z', revision, '--', '.'),
      git('ls-files', '--others', '--exclude-standard', '-z', '--', '.'),
    ])
    return new Set([...differing, ...untracked])
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).split('\n')[0] : String(error)
    throw new Error(`git cannot tell what changed since ${JSON.stringify(revision)}: ${reason}`)
  }
}
