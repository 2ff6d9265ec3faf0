import type pg from 'pg'
import { afterwards, type PipelineHandlers, type Prepared, StepFailure, type Wire } from './pipeline.ts'

type Handlers = Pick<PipelineHandlers, 'submit' | 'handleRowDescription' | 'handleError' | 'handleReadyForQuery'>
type ParameterDescription = { dataTypeIDs: number[] }
/** What node-postgres hands on to no query: it is heard on the connection itself. */
type DescribingWire = Wire & {
  once(event: 'parameterDescription', listener: (message: ParameterDescription) => void): void
  off(event: 'parameterDescription', listener: (message: ParameterDescription) => void): void
}

/** Lets the server say what the parameters of a statement are, in one round trip; nothing of it runs. */
export function describeParameters(client: pg.Client, prepared: Prepared, closing: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let failed = false
    const learn = ({ dataTypeIDs }: ParameterDescription) => {
      prepared.parameterTypes = dataTypeIDs
    }
    const query: Handlers = {
      submit(connection) {
        const wire = connection as unknown as DescribingWire
        wire.once('parameterDescription', learn)
        wire.stream.cork()
        for (const name of closing) wire.close({ type: 'S', name })
        if (!prepared.ready) wire.parse({ name: prepared.name, text: prepared.text, types: [] })
        wire.describe({ type: 'S', name: prepared.name })
        wire.sync()
        wire.stream.uncork()
      },
      handleRowDescription({ fields }) {
        prepared.columns = fields
      },
      handleError(cause, wire) {
        if (failed) return
        failed = true
        const failure = new StepFailure(0, cause)
        ;(wire as DescribingWire | undefined)?.off('parameterDescription', learn)
        if (cause.code && wire) afterwards(wire as Wire, () => reject(failure))
        else reject(failure)
      },
      handleReadyForQuery() {
        prepared.ready = true
        resolve()
      },
    }
    client.query(query)
  })
}
