import { ModuleSqlError } from './errors.ts'
import { type ValueWriter, writerFor } from './json-values.ts'
import type { Column } from './pipeline.ts'

export type ResultLimits = {
  /** Rows of one result. Default 10,000. */
  maxRows: number
  /** Bytes of one result's JSON. Default 1 MB. */
  maxResultBytes: number
  /** Bytes that one result may send over the socket before the session is ended. Default 8 MiB. */
  maxSocketBytes: number
}

/** Writes a result's JSON while its rows arrive. No row becomes an object in the host. */
export type ResultCollector = {
  onColumns(columns: Column[]): void
  onRow(fields: (string | null)[], bytes: number): void
  /** Throws `result_too_large` when more came than may be kept. */
  check(): void
  /** The rows as the text of a JSON array. Throws `result_too_large`. */
  json(): string
}

type Options = {
  limits: ResultLimits
  /** False: rows are counted against the socket's limit and dropped. */
  keep: boolean
  /** Called once at the first byte too many to keep, and once at the socket's limit. */
  onFlood(severity: 'cancel' | 'destroy'): void
}

export function createResultCollector({ limits, keep, onFlood }: Options): ResultCollector {
  let keys: string[] = []
  let writers: ValueWriter[] = []
  let text = '['
  let received = 0
  let flooded = false
  let drowned = false
  const tooLarge = () => new ModuleSqlError('result_too_large', `a result has at most ${limits.maxResultBytes} bytes`)

  return {
    onColumns(columns) {
      keys = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
      writers = columns.map(({ dataTypeID }) => writerFor(dataTypeID))
    },
    onRow(fields, bytes) {
      received += bytes
      if (received > limits.maxSocketBytes && !drowned) {
        drowned = true
        onFlood('destroy')
      }
      if (flooded || !keep) return
      let row = text.length > 1 ? ',' : ''
      for (let index = 0; index < fields.length; index++) {
        const field = fields[index]!
        row += keys[index]! + (field === null ? 'null' : writers[index]!(field))
      }
      text += fields.length === 0 ? `${row}{}` : `${row}}`
      if (text.length >= limits.maxResultBytes) {
        flooded = true
        text = '['
        onFlood('cancel')
      }
    },
    check() {
      if (flooded || drowned) throw tooLarge()
    },
    json() {
      const whole = `${text}]`
      const fits = whole.length * 3 <= limits.maxResultBytes || Buffer.byteLength(whole) <= limits.maxResultBytes
      if (flooded || drowned || !fits) throw tooLarge()
      return whole
    },
  }
}
