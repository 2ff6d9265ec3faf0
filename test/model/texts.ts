import type { Random } from '../../host/seeds/random.ts'

const words = [
  'أحمد',
  'احمد',
  'إحمد',
  'آمنة',
  'فاطمه',
  'فاطمة',
  'مُحَمَّد',
  'محـــمد',
  'موسى',
  'موسي',
  'عليّ',
  'Ali',
  'ALİ',
  'Zoë',
  'Zoe\u0308',
  'Straße',
  'O’Neil',
  "O'Neil",
  'al-Ahmad',
  'Ann-Marie',
  'ΣΊΣΥΦΟΣ',
  'ǅemal',
  '12',
  '١٢',
  '۱۲',
  '3-b',
  '%',
  '_a',
  'a\\b',
  '😀',
  '😀x',
  'x😀',
  'ab',
  'abc',
  'A',
  '-',
  'لا',
  'ﻻ',
  'ــ',
  'e\u0301',
  'né',
  'ns\u200cx',
  '\u200fRTL',
  'ß',
  'x'.repeat(70),
  '𞤀𞤁',
  '𝒜b',
  'null',
  'a,b',
  '{x}',
  '"q"',
] as const
const spaces = [' ', ' ', ' ', '  ', '\t', '\u00a0', '\u3000', '\n']

/** A name as somebody may write it. */
export function nameOf(random: Random): string {
  let name = random.pick(words) as string
  for (let more = random.integer(3); more > 0; more--) name += random.pick(spaces) + random.pick(words)
  return name
}

/** The beginning of some word, or of several, or of a whole text. */
export function searchFrom(random: Random, text: string): string {
  const kind = random.integer(4)
  const characters = [...text]
  if (kind === 0) return characters.slice(0, 1 + random.integer(Math.min(200, characters.length))).join('')
  const all = text.split(/\s+/u).filter(Boolean)
  const one = () => {
    const letters = [...(random.pick(all) ?? 'a')]
    return letters.slice(0, 1 + random.integer(letters.length)).join('')
  }
  if (kind === 1) return one()
  if (kind === 2) return `${one()} ${one()}`
  return one().toUpperCase()
}

const variants: Record<string, string> = { أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه', İ: 'i' }

/** Case, Arabic letter variants, digits; without tatweel and diacritics. Source: decisions.md, identifiers, times, names. */
export const fold = (text: string): string =>
  [...text.normalize('NFC')]
    .map((one) => {
      if (/[ـً-ْٰ]/u.test(one)) return ''
      const digit = '٠١٢٣٤٥٦٧٨٩'.indexOf(one) + '۰۱۲۳۴۵۶۷۸۹'.indexOf(one) + 1
      if (digit >= 0) return String(digit)
      return variants[one] ?? one.toLowerCase()
    })
    .join('')

const partsOf = (text: string): string[] => text.split(/[^\p{Alphabetic}0-9٠-٩۰-۹]+/u).filter(Boolean)
const wordsOf = (text: string): string[] =>
  fold(text)
    .split(/[^\p{Alphabetic}0-9]+/u)
    .filter(Boolean)
const cut = (text: string) => [...text].slice(0, 64).join('')

/** Whether a record with these names and whole texts is found. Source: decisions.md, names and declarations. */
export function isFound(search: string, names: string[], wholes: string[]): boolean {
  const text = search.normalize('NFC').trim()
  const tokens = [...new Set(text.split(/\s+/u).filter(Boolean))]
  if (tokens.length === 0) return true
  const known = [...names.flatMap(wordsOf), ...wholes.map(fold)].filter(Boolean).map(cut)
  const begins = (word: string) => known.some((one) => one.startsWith(cut(fold(word))))
  const spoken = tokens.filter((token) => partsOf(token).length > 0)
  const asked = spoken.length > 0 ? spoken : tokens.slice(0, 1)
  const every = asked.every((token) => begins(token) || (partsOf(token).length > 0 && partsOf(token).every(begins)))
  const digits = fold(text.replace(/[\s+().-]/gu, ''))
  const isPhone = /^\d{5,}$/.test(digits) && begins(`+${digits.replace(/^00/, '')}`)
  return every || (/\s/u.test(text) && begins(text)) || isPhone
}
