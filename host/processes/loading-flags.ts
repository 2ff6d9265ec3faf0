/**
 * For processes that load much and live briefly. V8 begins with a young generation of 1 MB and copies what survives until
 * it has grown: for the TypeScript parser a fifth of the CPU time. Caches of compiled code are good with and without it.
 */
export const loadingFlags = ['--min-semi-space-size=16'] as const
