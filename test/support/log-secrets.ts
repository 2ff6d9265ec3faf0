import { createReadStream, globSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A line that may not be: the secret itself is not repeated. */
export type Leak = { file: string; line: number; kind: string; begins: string }

const random = (length: number) =>
  new RegExp(`(?<![\\w+/=-])(?=[\\w-]*[a-z])(?=[\\w-]*[A-Z])(?=[\\w-]*\\d)[\\w-]{${length}}(?![\\w+/=-])`)

/** What each of our secrets looks like, wherever it stands in a line. */
const forms: Record<string, RegExp> = {
  'installation token': /pit_(live|test)_[0-9A-Za-z]{46}/,
  'operator token': /op_[\w-]{43}/,
  'partner key': /ppk_[\w-]{43}/,
  'client secret': /pcs_[\w-]{43}/,
  'webhook secret': /whsec_[\w-]{43}/,
  cookie: /partner_(session|form)["']?\s*[=:]\s*["']?[\w-]{16,}/,
  authorization: /\b(Bearer|Basic) [\w+/=.-]{16,}/,
  'database password': /postgres(ql)?:\/\/[^\s:@/]+:[^\s@*]+@/,
  'field of a secret': /"(password|token|secret|authorization|_token)":"(?!\*+")[^"]{8,}"/,
  'host key': /(?<![\w+/=-])[A-Za-z0-9+/]{43}=(?![\w+/=])/,
  // Sessions, form tokens and authorization codes have no name before them.
  '256 random bits': random(43),
  '192 random bits': random(32),
}

/** Reads every line of every log of a folder. */
export async function findLeaks(folder: string): Promise<Leak[]> {
  const leaks: Leak[] = []
  for (const file of globSync('**/*.log', { cwd: folder }).sort()) {
    let line = 0
    for await (const text of createInterface({ input: createReadStream(join(folder, file)) })) {
      line++
      for (const [kind, form] of Object.entries(forms)) {
        const [found] = form.exec(text) ?? []
        if (found !== undefined) leaks.push({ file, line, kind, begins: found.slice(0, 12) })
      }
    }
  }
  return leaks
}
