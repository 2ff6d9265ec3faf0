import { writeFileSync } from 'node:fs'
import { generateClient, generatedClient } from './generate.ts'

// Run it after a change of the operations: node host/launch.mjs --node partner-services/client/write.ts
writeFileSync(generatedClient, generateClient())
