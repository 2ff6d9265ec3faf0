import type { Finding } from '../finding.ts'
import { leavesMobile } from '../rules/mobile-link.ts'
import { secretIn } from '../rules/secret-in-source.ts'
import { finding } from './files.ts'
import type { Job } from './worker.ts'

const links =
  /\b(?:href|src|action|formaction|data|poster|srcset|xlink:href)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
const refresh = /<meta[^>]+http-equiv\s*=\s*["']?refresh[^>]*url\s*=\s*([^"'>\s]+)/gi
const base = /<base\b/i
const mend = 'Link to a page inside `mobile/` by a relative path.'

/** Links of a mobile screen's HTML. The browser's own policy is the wall; this tells the author before the school sees it. */
export function checkMobileHtml(file: string, text: string): Finding[] {
  const found: Finding[] = []
  for (const pattern of [links, refresh]) {
    for (const match of text.matchAll(pattern)) {
      const target = match[1] ?? match[2] ?? match[3] ?? ''
      if (!leavesMobile(target, file) || target.startsWith('data:image/')) continue
      found.push(
        finding(
          'mobile-link',
          file,
          lineAt(text, match.index),
          `This leads to \`${target.slice(0, 120)}\`, outside \`mobile/\`.`,
          mend,
        ),
      )
    }
  }
  if (base.test(text)) {
    found.push(
      finding(
        'mobile-link',
        file,
        lineAt(text, text.search(base)),
        '`<base>` moves every relative link elsewhere.',
        mend,
      ),
    )
  }
  const secret = secretIn(text)
  if (secret)
    found.push(
      finding('secret-in-source', file, 1, `This file holds what looks like ${secret}.`, 'Remove and revoke it.'),
    )
  return found
}

const script = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi
const otherLanguage = /\btype\s*=\s*["']?(?!module\b|text\/javascript\b|application\/javascript\b)\w/i

/** The scripts inside a page, each at the line where it stands there. Data blocks (JSON, import maps) are no scripts. */
export function inlineScripts(file: string, text: string): Job[] {
  return [...text.matchAll(script)].flatMap(({ index, 0: whole, 1: attributes = '', 2: code = '' }) => {
    if (code.trim() === '' || otherLanguage.test(attributes)) return []
    const start = index + whole.indexOf('>') + 1
    const column = start - text.lastIndexOf('\n', start - 1) - 1
    return [{ file, text: '\n'.repeat(lineAt(text, start) - 1) + ' '.repeat(column) + code, kind: 'mobile' as const }]
  })
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
