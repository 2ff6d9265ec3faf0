import { parentPort, workerData } from 'node:worker_threads'

/** Runs in a thread of its own, so that the client's work is not the server's: so many requests a second, answered or not. */
const { url, path, headers, perSecond } = workerData as {
  url: string
  path: string
  headers: Record<string, string>
  perSecond: number
}

async function ask(due: number): Promise<number> {
  await (await fetch(url + path, { headers, redirect: 'manual' })).arrayBuffer()
  return performance.now() - due
}

parentPort?.on('message', async (count: number) => {
  const begin = performance.now()
  const asked: Promise<number>[] = []
  for (let next = 0; next < count; next++) {
    const due = begin + (next * 1_000) / perSecond
    const wait = due - performance.now()
    if (wait > 0) await new Promise((go) => setTimeout(go, wait))
    asked.push(ask(due))
  }
  parentPort?.postMessage(await Promise.all(asked))
})
