/**
 * Node's options for a process that parses SQL. V8 optimises the parser's largest function in a background thread, which
 * takes half a second of CPU time and 550 MB; the code it starts with is as fast, since most of the work is reading the
 * tree. As an option of the process, not set while it runs: that would spoil the compile cache it shares with others.
 */
export const parserOptions = ['--liftoff-only'] as const
