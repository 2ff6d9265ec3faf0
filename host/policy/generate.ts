import { readFileSync, writeFileSync } from 'node:fs'
import { collectFacts } from './collect-facts.ts'
import { factsFile } from './facts.ts'

const generateFacts = (): string => `${JSON.stringify(collectFacts())}\n`

/** True where the file on disk is what the service layer says. */
export const areFactsUpToDate = (): boolean => readFileSync(factsFile, 'utf8') === generateFacts()

if (import.meta.main) writeFileSync(factsFile, generateFacts())
