type Event = { type: string; data: { message?: string } }

/** What tests and all they start wrote to standard output and error, and nothing of the runner's own: titles may quote. */
export default async function* output(events: AsyncIterable<Event>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message ?? ''
  }
}
