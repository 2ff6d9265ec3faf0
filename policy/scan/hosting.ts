import type { Finding } from '../finding.ts'
import type { codeHere } from '../manifest/hosting.ts'
import { finding } from './files.ts'

/** The file in which a module's code begins. */
export const entry = 'src/index.ts'

/** That the folder has code where some must run here, and neither code nor tables where the app is hosted by its partner. */
export function checkHosting(names: readonly string[], code: ReturnType<typeof codeHere>): Finding[] {
  if (code === 'needed' && !names.includes(entry)) return [missing]
  if (code !== 'refused') return []
  const misplaced = [names.includes(entry) ? entry : undefined, names.find((name) => name.startsWith('migrations/'))]
  return misplaced.filter((name) => name !== undefined).map(hostedElsewhere)
}

const missing = finding(
  'bundle-failed',
  entry,
  1,
  'A module that runs here has no code without this file.',
  'Write it: `export default defineModule({…})`.',
)

const hostedElsewhere = (name: string) =>
  finding(
    'manifest-block',
    name,
    1,
    'An app of type external is hosted by its partner: nothing of it runs here, and it has no tables here.',
    'Remove the file, or make a new app of type embedded: the type of an app cannot be changed.',
  )
