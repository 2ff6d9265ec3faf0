import type { ReportedFinding } from '../../builder/messages.ts'
import { compileCodeCache, sealCodeCache } from '../../isolates/code-cache.ts'
import { hashCode } from '../../security/bundle-signature.ts'
import { discover } from './discover.ts'
import type { PublisherContext } from '../publisher-context.ts'
import { refusalOf } from '../refused.ts'
import type { Workbench } from '../source/workshop.ts'

/** One script, compiled and asked what it contributes. */
export type BuiltCode = {
  code: string
  sourceMap: string
  hash: string
  codeCache: Uint8Array
  files: string[]
  contributions: Record<string, unknown>
}

export type BuildResult = { code?: BuiltCode; message?: string; findings: ReportedFinding[] }

/** Bundle, code cache, discovery. What is wrong comes back as findings. */
export async function buildCode(context: PublisherContext, slug: string, { builder }: Workbench): Promise<BuildResult> {
  const answer = await builder.ask('bundle')
  if ('findings' in answer) return { message: 'the module does not compile', findings: answer.findings }
  const { code, sourceMap, files } = answer.bundle
  // The builder's word for the hash is not taken.
  const hash = hashCode(code)
  try {
    const [codeCache, contributions] = await Promise.all([
      compileCodeCache(code, context.runnerJail()),
      discover(context, slug, { code, sourceMap, hash }),
    ])
    const sealed = sealCodeCache(codeCache, hash, context.keys.codeCache)
    return { code: { code, sourceMap, hash, codeCache: sealed, files, contributions }, findings: [] }
  } catch (error) {
    return refusalOf(error)
  }
}
