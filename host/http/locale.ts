import type { Locale } from '../../partner-services/service/errors.ts'

/** The language of messages: the first of `Accept-Language` that we speak, by weight; English otherwise. */
export function localeOf(header: string | undefined): Locale {
  if (header === undefined || header === '') return 'en'
  const wishes = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';')
      const weight = parameters.map((one) => /^\s*q=([\d.]+)$/.exec(one)?.[1]).find(Boolean)
      return { language: tag.toLowerCase().split('-')[0], weight: weight === undefined ? 1 : Number(weight) }
    })
  const best = wishes.filter(({ language, weight }) => (language === 'ar' || language === 'en') && weight > 0)
  return (best.sort((a, b) => b.weight - a.weight)[0]?.language as Locale | undefined) ?? 'en'
}
