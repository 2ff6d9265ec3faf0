import { readFileSync } from 'node:fs'

/** What every page links to: the platform's own look, then what a module's page may use. */
export const readStylesheet = (): string =>
  ['platform', 'pages', 'module']
    .map((name) => readFileSync(new URL(`./styles/${name}.css`, import.meta.url), 'utf8'))
    .join('\n')
