/**
 * Text that is kept to be read by people: what PostgreSQL cannot store, NUL and half a character, becomes U+FFFD. A text that
 * was cut may end in half a character, and one such line must not lose those beside it. Data is refused instead:
 * `isStorable`.
 */
export const toldText = (text: string): string => text.replaceAll('\0', '\u{fffd}').toWellFormed()

/** The same for every text of a value that goes into a column as JSON. */
export const toldJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? toldText(one) : one))
