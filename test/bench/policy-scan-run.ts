import { runScan } from '../../policy/scan/command.ts'
import { catalog, operations } from '../policy/support/catalog.ts'

/** What `partner scan` does, as a process of its own: folder, format, revision. */
const [dir = '.', format = 'text', changed] = process.argv.slice(2)
const options = { dir, format, catalog, operations, ...(changed ? { changed } : {}) }
process.exitCode = await runScan(options, {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
})
