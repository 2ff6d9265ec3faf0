import { isUpToDate } from '../../partner-services/sdk/generate.ts'

/** Generated files say what their sources say. */
const stale = [
  ...(isUpToDate()
    ? []
    : ['partner-services/sdk/generated: run node host/launch.mjs --node partner-services/sdk/generate.ts']),
]
if (stale.length > 0) {
  console.error(stale.join('\n'))
  process.exit(1)
}
