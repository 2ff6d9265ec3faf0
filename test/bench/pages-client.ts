import { parentPort, workerData } from 'node:worker_threads'

/** Runs in a thread of its own, so that the client's work is not the server's: so many requests at once. */
const { url, path, headers, atOnce, pauseMs } = workerData as {
  url: string
  path: string
  headers: Record<string, string>
  atOnce: number
  pauseMs: number
}

parentPort?.on('message', async (count: number) => {
  const took: number[] = []
  let left = count
  async function ask(): Promise<void> {
    while (left-- > 0) {
      const start = performance.now()
      await (await fetch(url + path, { headers, redirect: 'manual' })).arrayBuffer()
      took.push(performance.now() - start)
      if (pauseMs > 0) await new Promise((next) => setTimeout(next, pauseMs))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  parentPort?.postMessage(took)
})
