import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Imports point one way: host → partner-services, host → policy; modules import `@partner/sdk` and their own files only. */
const allowed: Record<string, (target: string) => boolean> = {
  host: (target) => /^(host|partner-services|policy|modules)\//.test(target),
  'partner-services': (target) => target.startsWith('partner-services/'),
  policy: (target) => target.startsWith('policy/'),
}

const wrong: string[] = []
for (const file of globSync('{host,partner-services,policy,modules}/**/*.ts')) {
  const top = file.split('/')[0]!
  const folder = top === 'modules' ? file.split('/').slice(0, 2).join('/') : top
  for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(
    /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g,
  )) {
    const target = normalize(join(dirname(file), specifier))
    const fits = top === 'modules' ? target.startsWith(`${folder}/`) : allowed[top]!(target)
    if (!fits) wrong.push(`${file}: imports ${target}`)
  }
  const runsPartnerCode = /^host\/(isolates\/runner)\//.test(file)
  if (!runsPartnerCode && /from 'isolated-vm'/.test(readFileSync(file, 'utf8')))
    wrong.push(`${file}: imports isolated-vm outside a runner`)
}
if (wrong.length > 0) {
  console.error(wrong.join('\n'))
  process.exit(1)
}
