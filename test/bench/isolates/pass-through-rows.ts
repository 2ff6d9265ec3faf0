/** One megabyte of JSON. */
export const rows = Array.from({ length: 9_000 }, (_, id) => ({
  id,
  name: `Student ${id}`,
  email: `student-${id}@example.org`,
  grade: id % 13,
  section: 'b',
  active: true,
}))
const repeats = 20

/** CPU time this thread spends, in ms for each repetition. */
export async function cpuMs(operation: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  for (let i = 0; i < repeats; i++) await operation()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000 / repeats
}
