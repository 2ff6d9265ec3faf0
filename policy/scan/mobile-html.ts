import { Parser } from 'htmlparser2'
import { leavesMobile } from '../rules/mobile-link.ts'
import { secretIn } from '../rules/secret-in-source.ts'
import type { Finding } from '../finding.ts'
import { finding } from './files.ts'
import type { Job } from './worker.ts'

/** What is wrong with a mobile screen itself, and the scripts in it, each with the place where it stands. */
export type MobilePage = { readonly findings: readonly Finding[]; readonly scripts: readonly Job[] }

type Attributes = Readonly<Record<string, string>>

/** Browsers nest no deeper; the parser looks through all open elements at each further one. */
const mostDepth = 512
/** A page in a page in a page: each is read once more. */
const mostPages = 3
const mend = 'Link to a page inside `mobile/` by a relative path.'
const plainer = 'Write it in plainer HTML: what cannot be parsed cannot be reviewed.'

/**
 * A mobile screen, parsed as a browser parses it: what an attribute says is known only behind its references (`&#47;`), and
 * what is a comment or a script's text is no link. The browser's own policy is the wall; this tells the author before the
 * school sees it.
 */
export function readMobilePage(file: string, text: string): MobilePage {
  const found: Finding[] = []
  const scripts: Job[] = []
  const secret = secretIn(text)
  if (secret)
    found.push(
      finding('secret-in-source', file, 1, `This file holds what looks like ${secret}.`, 'Remove and revoke it.'),
    )
  readPage(file, text, 1, { found, scripts })
  return { findings: found, scripts }
}

type Gathered = { readonly found: Finding[]; readonly scripts: Job[] }

function readPage(file: string, text: string, level: number, { found, scripts }: Gathered, line?: number): void {
  const placeAt = placeFinder(text)
  const lineNow = () => line ?? placeAt(parser.startIndex).line
  const refuse = (message: string) => found.push(finding('file-not-parsable', file, lineNow(), message, plainer))
  let depth = 0
  let script: { code: string; at: Job['at'] } | undefined
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > mostDepth) throw new TooDeep()
        if (name === 'base')
          found.push(finding('mobile-link', file, lineNow(), '`<base>` moves every relative link elsewhere.', mend))
        for (const target of targetsOf(name, attributes)) {
          if (!leavesMobile(target, file) || target.startsWith('data:image/')) continue
          const message = `This leads to \`${target.slice(0, 120)}\`, outside \`mobile/\`.`
          found.push(finding('mobile-link', file, lineNow(), message, mend))
        }
        const { srcdoc } = attributes
        if (srcdoc && level === mostPages) refuse('This page holds pages in pages.')
        else if (srcdoc) readPage(file, srcdoc, level + 1, { found, scripts }, lineNow())
        if (name === 'script' && isJavaScript(attributes))
          script = { code: '', at: line ? { line, column: 1 } : placeAt(parser.endIndex + 1) }
      },
      ontext(code) {
        if (script) script.code += code
      },
      onclosetag(name) {
        depth--
        if (name !== 'script' || !script) return
        if (script.code.trim() !== '') scripts.push({ file, text: script.code, kind: 'mobile', at: script.at })
        script = undefined
      },
      oncomment(comment) {
        if (comment.startsWith('[CDATA['))
          refuse('`<![CDATA[` is a part of SVG alone: browsers read it otherwise here.')
      },
      onprocessinginstruction(_name, instruction) {
        if (/<!ENTITY/i.test(instruction)) refuse('An entity of its own can stand for any text.')
      },
    },
    { xmlMode: /\.svg$/i.test(file) && level === 1 },
  )
  try {
    parser.end(text)
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    refuse(`This page has more than ${mostDepth} elements in one another.`)
  }
}

class TooDeep extends Error {}

/** Data blocks (JSON, import maps) are no scripts. */
const isJavaScript = ({ type = '' }: Attributes): boolean => /^\s*(module\s*)?$|script/i.test(type)

const single = /(?:^|:)href$|^(?:src|action|formaction|poster|background)$/
const delay = /^[\s\d.]*[;,\s]*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** Where an element leads, or what it loads, as its attributes say (HTML, SVG's animations of a link included). */
function targetsOf(element: string, attributes: Attributes): string[] {
  const targets = Object.entries(attributes).flatMap(([name, value]) => {
    if (single.test(name) || (element === 'object' && name === 'data')) return value
    const words = () => value.split(/\s+/)
    if (name === 'ping') return words()
    // What stands beside an address there (`2x,`) would be a relative one.
    if (name !== 'srcset' && name !== 'imagesrcset') return []
    return words().flatMap((word) => (word.startsWith('data:') ? word : word.split(',')))
  })
  const {
    content = '',
    attributename,
    attributeName = attributename ?? '',
    to = '',
    from = '',
    values = '',
  } = attributes
  if (element === 'meta' && /^\s*refresh\s*$/i.test(attributes['http-equiv'] ?? '')) {
    const [, double, quoted, plain = ''] = delay.exec(content) ?? []
    targets.push(double ?? quoted ?? plain)
  }
  if (single.test(attributeName)) targets.push(to, from, ...values.split(';'))
  return targets
}

/** The line and column of one index after another, each at or behind the one before. */
function placeFinder(text: string): (index: number) => { line: number; column: number } {
  let line = 1
  let start = 0
  return (index) => {
    for (let next = text.indexOf('\n', start); next >= 0 && next < index; next = text.indexOf('\n', start)) {
      line++
      start = next + 1
    }
    return { line, column: index - start + 1 }
  }
}
