import type { Rpc } from '../processes/rpc.ts'

/** Asks the publisher, by way of the supervisor. What it refuses with findings rejects as a ReportedError. */
export const askPublisher = <Result = object>(
  { publisher }: { publisher: Rpc },
  method: string,
  argument: unknown,
): Promise<Result> => publisher.call('publisher', { method, argument })
