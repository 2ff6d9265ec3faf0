/** SQLSTATEs whose words name the schema's objects; of class 42, 601, 602 and 704 also come of rows: a cast to tsquery quotes. */
const namesOnly = /^(23|25|2B|42(?!601|602|704)|44)/

/** Of locks, time and room: the server speaks of what it does, and of sizes. */
const ofTheServer = /^(40|53|54|55|57)/
/** From the first quote on, or the first number that is no part of a name and no type's length: `varying(10)`. */
const quoted = /".*/s
const number = /(?<![a-z\d(])-?\d.*/is

/** How the server begins to speak of a value that does not fit: what may follow is the value. */
const beginnings = new RegExp(
  `^(${[
    'invalid input syntax for type [a-z ]+',
    'value too long for type character( varying)?\\(\\d+\\)',
    'invalid (regular expression|mask length|byte sequence for encoding|escape sequence)',
    'malformed [a-z]+ literal',
    '(smallint|integer|bigint|date|time|timestamp|interval|date/time|value) (field )?(value )?(is )?out of range',
    'numeric field overflow',
    'division by zero',
    'cannot cast jsonb [a-z ]+ to type [a-z ]+',
    'cannot take (square root|logarithm) of (a negative number|zero)',
    'negative substring length not allowed',
    'requested length too large',
    'syntax error (in tsquery|at or near|at end of input)',
  ].join('|')})(?![a-z\\d(])`,
)
/** Where the value stands first. */
const outOfRange = /^value ".*" (is out of range for type [a-z ]+)$/s

/**
 * What a partner is told of a migration that fails in the live schema: there the server may quote what a school's row says,
 * and a module's SQL may ask it to. It is told by a list of what may be told.
 */
export function withoutValues(message: string, code = ''): string {
  if (namesOnly.test(code)) return message
  if (ofTheServer.test(code)) return message.replace(number, '…').replace(quoted, '"…"')
  const beginning = outOfRange.exec(message)?.[1] ?? beginnings.exec(message)?.[0]
  if (beginning === undefined)
    return `the server refuses what a row gives, in words that may hold it (SQLSTATE ${code})`
  return beginning.length === message.length ? message : `${beginning} …`
}
