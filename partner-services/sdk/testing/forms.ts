export type ServedForm = { action: string; fields: Record<string, string> }

/**
 * The first POST form of a page whose action lies below `below` and ends with `action`, with its hidden fields. Null where
 * there is none.
 */
export function hiddenFields(page: string, action = '', below = ''): ServedForm | null {
  for (const [, attributes = '', content = ''] of page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)) {
    const target = attribute(attributes, 'action')
    if (attribute(attributes, 'method')?.toLowerCase() !== 'post' || !target?.endsWith(action)) continue
    if (below !== '' && target !== below && !target.startsWith(`${below}/`)) continue
    const fields: Record<string, string> = {}
    for (const [, input = ''] of content.matchAll(/<input\b([^>]*)>/gi)) {
      const name = attribute(input, 'name')
      if (name && attribute(input, 'type')?.toLowerCase() === 'hidden') fields[name] = attribute(input, 'value') ?? ''
    }
    return { action: target, fields }
  }
  return null
}

function attribute(attributes: string, name: string): string | null {
  const value = new RegExp(`(?:^|\\s)${name}="([^"]*)"`, 'i').exec(attributes)?.[1]
  return value === undefined ? null : unescapeHtml(value)
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

const unescapeHtml = (text: string): string => text.replace(/&(#?\w+);/g, (whole, name) => entities[name] ?? whole)
