import { cpuMs, rows } from '../pass-through-rows.ts'

/** A process that writes and reads the same megabyte, as a host does that looks inside what passes. */
process.on('message', async () => {
  process.send?.(await cpuMs(() => JSON.parse(JSON.stringify(rows))))
})
process.on('disconnect', () => process.exit(0))
