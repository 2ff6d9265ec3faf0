/** The page is nested deeper, is larger or takes longer than any honest page. */
export class HtmlRefused extends Error {
  override name = 'HtmlRefused'
}
