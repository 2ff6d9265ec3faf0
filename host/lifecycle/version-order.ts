import { InvalidInputException } from '../../partner-services/service/errors.ts'
import { type AppRecord, type Db, publishedVersions, type VersionRecord } from './records.ts'

/** The highest published version of an app that is higher than `version`; null where there is none. */
export async function higherPublished(db: Db, app: Pick<AppRecord, 'id'>, version: string): Promise<string | null> {
  const published = (await publishedVersions(db, app)).map((one) => one.version).toSorted(compareVersions)
  const highest = published.at(-1)
  return highest !== undefined && compareVersions(version, highest) < 0 ? highest : null
}

/** A version never takes the place of a higher one: going back is a roll-back. */
export async function requireRaised(
  db: Db,
  app: Pick<AppRecord, 'id'>,
  { version }: Pick<VersionRecord, 'version'>,
): Promise<void> {
  const higher = await higherPublished(db, app, version)
  if (higher !== null)
    throw new InvalidInputException({ version: [`must be higher than ${higher}, which is published`] })
}

/** Precedence of semver 2.0.0, section 11; what follows a `+` does not count. Negative where `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  return compareParts(left.numbers, right.numbers) || compareReleases(left.before, right.before)
}

/** `before`: of a pre-release, the identifiers behind its hyphen. */
function parse(version: string): { numbers: string[]; before: string[] } {
  const [text = ''] = version.split('+')
  const hyphen = text.indexOf('-')
  if (hyphen < 0) return { numbers: text.split('.'), before: [] }
  return { numbers: text.slice(0, hyphen).split('.'), before: text.slice(hyphen + 1).split('.') }
}

/** A pre-release comes before its release. */
function compareReleases(a: string[], b: string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length
  return compareParts(a, b)
}

function compareParts(a: string[], b: string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index]
    if (right === undefined) return 1
    const order = compareIdentifiers(left, right)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Numbers by value and before words; words by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [isNumber(a), isNumber(b)]
  if (left && right) return Number(a) - Number(b)
  if (left !== right) return left ? -1 : 1
  return a < b ? -1 : Number(a > b)
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)
