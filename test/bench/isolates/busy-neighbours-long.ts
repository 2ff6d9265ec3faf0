import { honestCallLines } from './honest-calls.ts'

/** The false kills of `busy-neighbours.ts` over enough calls to speak of one in a thousand. */
export const run = () => honestCallLines(1_000)
