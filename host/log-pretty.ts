import pretty from 'pino-pretty'

/** For a terminal: one coloured line a record. */
export const pinoPretty = () => pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
