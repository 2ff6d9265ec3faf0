const control = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** A stranger's text for a terminal: nothing of it moves the cursor, turns the direction of writing or begins a line. */
export function printable(text: string): string {
  return text.replace(control, '\ufffd')
}

/** The same for a text of several lines, which it keeps, and tabs. */
export function printableLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(control, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
}

/** The same for an entry of a list: its further lines stand in from where another entry would begin. */
export function printableEntry(text: string): string {
  return printableLines(text).replaceAll('\n', '\n      ')
}

/** A value as one line of JSON, whose texts are whole: what `printable` takes away stands there as an escape. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    control,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
