import type { FastifyReply } from 'fastify'
import { ReportedError, type Rpc } from '../processes/rpc.ts'

/** Asks the publisher for a request. What it refuses with findings answers 422 with them. */
export async function askPublisher<Result>(
  { publisher }: { publisher: Rpc },
  reply: FastifyReply,
  method: string,
  argument: unknown,
): Promise<Result | FastifyReply> {
  try {
    return await publisher.call<Result>('publisher', { method, argument })
  } catch (error) {
    if (!(error instanceof ReportedError)) throw error
    return reply.status(422).send({ message: error.message, error: 'invalid_data', report: error.report })
  }
}
