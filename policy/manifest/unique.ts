import type { z } from 'zod'

/** A check that no two entries have the same key; it names the later one. */
export function unique<Entry>(keyOf: (entry: Entry) => string): z.core.CheckFn<Entry[]> {
  return (context) => {
    const seen = new Set<string>()
    context.value.forEach((entry, index) => {
      const key = keyOf(entry)
      if (seen.has(key)) {
        context.issues.push({
          code: 'custom',
          params: { rule: 'manifest-duplicate' },
          path: [index],
          message: `\`${key}\` is there already`,
          input: entry,
        })
      }
      seen.add(key)
    })
  }
}
