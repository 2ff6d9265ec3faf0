import path from 'node:path'
import type { Resolve } from '../scopes/analyse.ts'

const extensions = ['.tsx', '.ts', '.jsx', '.js', '.mts', '.cts', '.mjs', '.cjs']
const rewritten: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
}

/** The file a relative import leads to, as esbuild would have it; undefined where there is none. */
export function resolveRelative(
  from: string,
  specifier: string,
  exists: (file: string) => boolean,
): string | undefined {
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier))
  if (exists(target)) return target
  const extension = path.posix.extname(target)
  const stem = target.slice(0, target.length - extension.length)
  const candidates = [
    ...extensions.map((added) => target + added),
    ...(rewritten[extension] ?? []).map((added) => stem + added),
    ...extensions.map((added) => `${target}/index${added}`),
  ]
  return candidates.find(exists)
}

export function isRelative(specifier: string): boolean {
  return specifier === '.' || specifier === '..' || specifier.startsWith('./') || specifier.startsWith('../')
}

export function createResolver(exists: (file: string) => boolean): Resolve {
  return (from, specifier) => {
    if (specifier === '@partner/sdk') return 'sdk'
    if (!isRelative(specifier)) return 'unknown'
    const file = resolveRelative(from, specifier, exists)
    return file === undefined ? 'unknown' : { file }
  }
}
