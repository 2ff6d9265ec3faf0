import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** So many of these requests, each time one of them at random, at this rate. */
export type Asked = {
  url: string
  requests: { path: string; headers: Record<string, string> }[]
  count: number
  perSecond: number
}

export type Answers = {
  /** Milliseconds from the moment each request was due. */
  times: number[]
  /** How often each status came; 0 is a connection that closed without an answer. */
  statuses: Record<string, number>
  firstRefusal: string | null
}

export type OpenLoopClient = { ask(asked: Asked): Promise<Answers>; end(): void }

/** A client in a process of its own, that lives through all the rounds and asks one server: it keeps its connections. */
export function openLoopClient(): OpenLoopClient {
  const child = fork(fileURLToPath(new URL('./open-loop-client.ts', import.meta.url)), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`a client of the bench ended with ${code}`)
  })
  ended.catch(() => {})
  return {
    async ask(asked) {
      const answered = once(child, 'message')
      child.send(asked)
      const [answers] = await Promise.race([answered, ended])
      return answers as Answers
    },
    end: () => void child.kill(),
  }
}
