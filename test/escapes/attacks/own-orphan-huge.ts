import { survives } from '../survives.ts'

/** A stack begins with the message, which here looks like a line of the bundle's: nobody would have been blamed for the frame. */
survives(
  'own orphan with a huge message',
  'globalThis.h = () => { Promise.reject(new Error("partner:bundle " + "x".repeat(30e6))); return 1 }',
  { value: '1', kinds: ['runner_lost'] },
)
