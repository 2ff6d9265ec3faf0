import { setFlagsFromString } from 'node:v8'

/**
 * Nothing of a request lives long. V8 watches what survives a start's first collections, and may decide from then on to
 * make such objects in the old generation at once: they hold on to young ones, so that each young collection took 14 ms
 * instead of 1, and a busy process a fifth of its time. Called once all code is loaded, since caches of compiled code are
 * good for the flags they were made with.
 */
export function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
