/** The version of a migration that is written now: this second, or one later than all that exist. */
export function nextVersion(versions: readonly string[], now: Date): string {
  const newest = versions.toSorted().at(-1)
  const current = versionAt(now)
  if (newest === undefined || newest < current) return current
  return versionAt(new Date(timeOf(newest).getTime() + 1_000))
}

const versionAt = (time: Date): string =>
  time.toISOString().replace(/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d).*$/, '$1_$2_$3_$4$5$6')

/** A version is any six numbers of that form: hour 99 counts on, so the answer is still later. */
function timeOf(version: string): Date {
  const [year = 0, month = 0, day = 0, time = 0] = version.split('_').map(Number)
  return new Date(Date.UTC(year, month - 1, day, Math.trunc(time / 10_000), Math.trunc(time / 100) % 100, time % 100))
}
