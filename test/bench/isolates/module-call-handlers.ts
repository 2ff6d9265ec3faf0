const row = (id: number) => ({ id, name: `Student ${id}`, email: `s${id}@example.org`, grade: id % 13, active: true })
/** 1.8 kB, encoded already, as the database gives it. */
const rows = JSON.stringify(Array.from({ length: 24 }, (_, id) => row(id)))

export const service = async (_path: string, _args: string): Promise<string> => rows

/** What both sides run; `callHost` is how each reaches the service. */
export const handlers = `{
  noop: () => null,
  parallel: async (n) => { await Promise.all(Array.from({ length: n }, () => callHost('students.list', { page: 1 }))); return null },
  sequential: async (n) => { for (let i = 0; i < n; i++) await callHost('students.list', { page: 1 }); return null },
}`
