import { ModuleSqlError } from './errors.ts'
import { type ValueWriter, writerFor } from './json-values.ts'
import type { Column } from './pipeline.ts'

export type ResultLimits = {
  /** Rows of one result. Default 10,000. */
  maxRows: number
  /** Bytes of one result's JSON. Default 1 MB. */
  maxResultBytes: number
}

/** Writes a result's JSON while its rows arrive. No row becomes an object in the host. */
export type ResultCollector = {
  onColumns(columns: Column[]): void
  onRow(fields: (string | null)[]): void
  /** Throws `result_too_large` when more came than may be kept. */
  check(): void
  /** The rows as the text of a JSON array. Throws `result_too_large`; `changed`: the statement was carried out all the same. */
  json(changed: boolean): string
}

/** `onFlood` is called once, at the first row too many: what still arrives is dropped. */
export function createResultCollector(limits: ResultLimits, onFlood: () => void): ResultCollector {
  let keys: string[] = []
  let writers: ValueWriter[] = []
  let text = '['
  let flooded = false
  const tooLarge = (changed: boolean) => {
    const reason = `a result has at most ${limits.maxResultBytes} bytes`
    return new ModuleSqlError('result_too_large', changed ? `the rows were changed, but ${reason}` : reason)
  }

  return {
    onColumns(columns) {
      keys = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
      writers = columns.map(({ dataTypeID }) => writerFor(dataTypeID))
    },
    onRow(fields) {
      if (flooded) return
      let row = text.length > 1 ? ',' : ''
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index]!
        row += keys[index]! + (field === null ? 'null' : writers[index]!(field))
      }
      text += fields.length === 0 ? `${row}{}` : `${row}}`
      if (text.length >= limits.maxResultBytes) {
        flooded = true
        text = '['
        onFlood()
      }
    },
    check() {
      if (flooded) throw tooLarge(false)
    },
    json(changed) {
      const whole = `${text}]`
      const fits = whole.length * 3 <= limits.maxResultBytes || Buffer.byteLength(whole) <= limits.maxResultBytes
      if (flooded || !fits) throw tooLarge(changed)
      return whole
    },
  }
}
