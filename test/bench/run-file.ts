import type { BenchLine } from './bench-line.ts'

/** One file of benchmarks in a process of its own: its lines, as JSON, are the last line of standard output. */
const { run } = (await import(process.argv[2]!)) as { run(): Promise<BenchLine[]> }
process.stdout.write(`\n${JSON.stringify(await run())}\n`, () => process.exit(0))
