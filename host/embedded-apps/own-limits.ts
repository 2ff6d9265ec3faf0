import { describeRange, isInRange, isRequestLimit, type RequestLimits } from '../isolates/limits.ts'

/** What an operator set for one app's requests, over what every app has. */
export type OwnLimits = Readonly<Partial<RequestLimits>>

/**
 * Reads what is stored of an app. What is no limit, or out of its range, counts as not set and is a problem to tell: a
 * wrong value must not stop an app, and never widens what it may use. `own` is undefined where nothing is left.
 */
export function readOwnLimits(stored: Readonly<Record<string, unknown>>): {
  own: OwnLimits | undefined
  problems: string[]
} {
  const own: Partial<RequestLimits> = {}
  const problems: string[] = []
  for (const [name, value] of Object.entries(stored)) {
    if (!isRequestLimit(name)) problems.push(`${JSON.stringify(name)} is stored and is no limit of a request`)
    else if (isInRange(name, value)) own[name] = value
    else problems.push(`${name} ${describeRange(name)}: what is stored is ignored`)
  }
  return { own: Object.keys(own).length === 0 ? undefined : own, problems }
}
