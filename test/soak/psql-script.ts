/**
 * The statements of a psql script, as psql splits it: at semicolons outside quotes, comments and parentheses. Its own
 * commands and the data of COPY are left out, and so is what uses its variables.
 */
export function statementsOf(script: string): string[] {
  const lines = script.split('\n')
  const kept: string[] = []
  let copying = false
  for (const line of lines) {
    if (copying) {
      copying = line !== '\\.'
      continue
    }
    copying = /^copy\b.*\bfrom\s+stdin\b.*;\s*$/i.test(line)
    if (!/^\s*\\/.test(line))
      kept.push(line.replace(/(?<=[\s;)'"\w])\\(g|gset|gexec|gdesc|bind|parse|crosstabview|;).*$/, ';'))
  }
  return split(kept.join('\n')).filter((text) => !/(?<![:\w])(:[a-zA-Z_'"{])/.test(withoutQuoted(text)))
}

const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$[\s\S]*?\$\1\$|--[^\n]*|\/\*|[;()]|begin\s+atomic\b|\bend\b|\bcase\b/gi

function split(script: string): string[] {
  const statements: string[] = []
  const state = { depth: 0, bodies: 0 }
  let from = 0
  let at = 0
  const find = new RegExp(token)
  for (;;) {
    find.lastIndex = at
    const found = find.exec(script)
    if (!found) break
    const [text] = found
    // E'…' lets a backslash escape the quote.
    const isEscape =
      text.startsWith("'") && /(?:^|[^\w])e$/i.test(script.slice(Math.max(0, found.index - 2), found.index))
    at = isEscape
      ? endOfEscape(script, found.index)
      : text === '/*'
        ? endOfComment(script, found.index)
        : find.lastIndex
    if (text === '(') state.depth += 1
    else if (text === ')') state.depth = Math.max(0, state.depth - 1)
    else if (/^begin\s+atomic/i.test(text) || (state.bodies > 0 && /^case$/i.test(text))) state.bodies += 1
    else if (/^end$/i.test(text)) state.bodies = Math.max(0, state.bodies - 1)
    else if (text === ';' && state.depth === 0 && state.bodies === 0) {
      statements.push(script.slice(from, at - 1))
      from = at
    }
  }
  return statements.filter((statement) => withoutQuoted(statement).trim() !== '')
}

function endOfEscape(script: string, start: number): number {
  const end = /(?:[^'\\]|\\[\s\S]|'')*'/y
  end.lastIndex = start + 1
  return end.exec(script) ? end.lastIndex : script.length
}

/** Comments nest. */
function endOfComment(script: string, start: number): number {
  const mark = /\/\*|\*\//g
  mark.lastIndex = start
  for (let depth = 0; ; ) {
    const found = mark.exec(script)
    if (!found) return script.length
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}

const withoutQuoted = (text: string) =>
  text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g, '')
