import type { Finding } from '../finding.ts'
import { secretByName, secretIn } from '../rules/secret-in-source.ts'
import { finding, isFinding, isTest, readSource, textOf } from './files.ts'
import type { ScanLimits } from './limits.ts'

/** What is published beside the code, and bundled where it is imported. Prose may show the form of a secret. */
const dataName = /\.(json|sql|php|txt|csv|ya?ml|pem|key)$/i
const pair = /"([\w-]+)"\s*:\s*"([^"\\]+)"/g

/** The secrets in data and migrations, each at its line. A file that is no text, or too large to review, is not looked into. */
export function checkDataFiles(dir: string, names: readonly string[], limits: ScanLimits): Finding[] {
  const sources = names
    .filter((name) => dataName.test(name) && !isTest(name))
    .map((name) => readSource(dir, name, limits))
  return sources.flatMap((source) =>
    isFinding(source)
      ? []
      : textOf(source)
          .split('\n')
          .flatMap((text, index) => secretOf(source.file, index + 1, text)),
  )
}

function secretOf(file: string, line: number, text: string): Finding[] {
  const named = () => [...text.matchAll(pair)].some(([, name = '', value = '']) => secretByName(name, value))
  const secret = secretIn(text) ?? (named() ? 'a secret, by its name' : undefined)
  if (!secret) return []
  const mend = 'Declare a secret field in `settings_schema`, read it from `settings`, and revoke this one.'
  return [finding('secret-in-source', file, line, `This looks like ${secret}.`, mend)]
}
