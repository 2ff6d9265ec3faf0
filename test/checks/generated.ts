import { readFileSync } from 'node:fs'
import { areFactsUpToDate } from '../../host/policy/generate.ts'
import { generateClient, generatedClient } from '../../partner-services/client/generate.ts'
import { describeApi } from '../../partner-services/description/openapi.ts'
import { postmanCollection } from '../../partner-services/description/postman.ts'
import { operations } from '../../partner-services/registry.ts'
import { isUpToDate } from '../../partner-services/sdk/generate.ts'

/** Generated files say what their sources say, and the description names every operation once. */
const document = describeApi()
const described = Object.values(document.paths as Record<string, object>).flatMap((path) =>
  Object.values(path as Record<string, { operationId?: string }>).map(({ operationId }) => operationId),
)
const stale = [
  areFactsUpToDate() || 'host/policy/generated: run node host/launch.mjs --node host/policy/generate.ts',
  isUpToDate() || 'partner-services/sdk/generated: run node host/launch.mjs --node partner-services/sdk/generate.ts',
  readFileSync(generatedClient, 'utf8') === generateClient() ||
    'partner-services/client/generated: run node host/launch.mjs --node partner-services/client/generate.ts',
  ...operations.map(
    ({ name }) =>
      described.filter((id) => id === name).length === 1 || `${name} is not in the description, or not once`,
  ),
  (postmanCollection(document).item as unknown[]).length > 0 || 'the Postman collection is empty',
].filter((finding) => finding !== true)
if (stale.length > 0) {
  console.error(stale.join('\n'))
  process.exit(1)
}
