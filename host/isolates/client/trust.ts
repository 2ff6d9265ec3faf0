/** How long an installation that cost a runner stays under suspicion. */
const suspicionMs = 600_000
const maxVouched = 20_000

/** Who goes to the quarantine runner: code that never answered here before, and whoever cost a runner lately. */
export function createTrust(now: () => number = Date.now) {
  const vouched = new Set<string>()
  const suspects = new Map<string, number>()

  return {
    /** This code loaded and answered once. */
    vouch(code: string) {
      if (vouched.size >= maxVouched) vouched.clear()
      vouched.add(code)
    },
    suspect(isolate: string) {
      suspects.set(isolate, now() + suspicionMs)
      for (const [name, until] of suspects) if (until <= now()) suspects.delete(name)
    },
    isSuspect(isolate: string): boolean {
      const until = suspects.get(isolate)
      return until !== undefined && until > now()
    },
    isVouched: (code: string) => vouched.has(code),
  }
}

export type Trust = ReturnType<typeof createTrust>
