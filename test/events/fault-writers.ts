export type WriterOptions = {
  count: number
  url: () => string
  token: string
  /** Filled with the id of each student that was answered for. */
  created: string[]
  deadline: number
}

const callers = 8
const pause = (milliseconds: number) => new Promise<void>((done) => setTimeout(done, milliseconds))

/** Eight callers, each trying again under the same idempotency key until it has an answer. */
export async function createStudents({ count, url, token, created, deadline }: WriterOptions): Promise<void> {
  let next = 0
  const caller = async () => {
    for (let number = next++; number < count && Date.now() < deadline; number = next++) {
      for (let id: string | null = null; id === null && Date.now() < deadline; ) {
        id = await createStudent(url(), token, number)
        if (id) created.push(id)
        else await pause(20)
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function createStudent(url: string, token: string, number: number): Promise<string | null> {
  try {
    const response = await fetch(`${url}/apps/education/students`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `student-${number}`,
      },
      body: JSON.stringify({ full_name: `Student ${number}` }),
      signal: AbortSignal.timeout(3_000),
    })
    if (response.status !== 201) return null
    return ((await response.json()) as { student: { id: string } }).student.id
  } catch {
    return null
  }
}
