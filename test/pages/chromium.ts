import { existsSync, readFileSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { readStylesheet } from '../../host/pages/stylesheet.ts'

const executablePath = '/usr/bin/chromium'

/** Why a test of a page's look is left out, or false: it is never left out on CI. */
export const skipLooks =
  !existsSync(executablePath) && process.env.CI !== 'true' ? 'chromium is not installed: no page is looked at' : false

/** `settings` are Chromium's own, as a person sets them: `defaultFontSize=32`. */
export const launchChromium = (settings = ''): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', ...(settings ? [`--blink-settings=${settings}`] : [])],
  })

const styles = readStylesheet()

/** A page of the host's as a browser gets it, its stylesheet within. */
export const styled = (html: string): string =>
  html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${styles}</style>`)

/** Code that runs in the page, where TypeScript does not know the names. */
export function inPage<Given, Result>(name: string): (given: Given) => Result {
  const source = readFileSync(new URL(`./in-page/${name}.js`, import.meta.url), 'utf8').replace(/^\/\*\*.*\n/, '')
  return new Function('given', `return ${source.trim()}(given)`) as (given: Given) => Result
}
