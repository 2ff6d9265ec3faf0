import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { buildJail, type Jail, type JailSystem } from '../jail/jail.ts'
import { setSessionNiceness } from '../processes/rank.ts'
import { spawnProcess } from '../processes/spawn-process.ts'
import { BuilderFailure } from './builder-failure.ts'
import { startCountdown } from './countdown.ts'
import { builderImage, mountedImage } from './image.ts'
import { watchMemory } from './memory.ts'
import { type Answers, answerSchema, answers, type Question } from './messages.ts'
import { readMessages, sendMessage } from './wire.ts'

export type BuilderJail = Jail<'builder'>

/** A jailed process that works on one module's folder. Every job may end in a BuilderFailure; then the builder is over. */
export type Builder = {
  ask<Job extends keyof Answers>(job: Job, argument?: unknown, room?: string): Promise<Answers[Job]>
  close(): void
}

export type BuilderOptions = {
  jail: BuilderJail
  /** Readable for the jail's user. */
  folder: string
  /** Milliseconds for each job, without those in which it waited for a core: see `startCountdown`. */
  timeLimit?: number
  memoryMb?: number
}

export const buildBuilderJail = (changes: Partial<JailSystem<'builder'>> = {}): BuilderJail =>
  buildJail({ installed: builderImage(), elsewhere: mountedImage, ...changes })

const defaultTimeLimit = 60_000
const defaultMemoryMb = 1_536

type Waiting = { settle: (result: unknown) => void; fail: (error: Error) => void; stopCounting: () => void }

export function startBuilder({ jail, folder, timeLimit, memoryMb = defaultMemoryMb }: BuilderOptions): Builder {
  const { program, args } = jail.command('builder', JSON.stringify({ folder }), [folder])
  const spawned = spawnProcess(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {},
    cwd: '/',
    // A session of its own: esbuild ends with it.
    detached: true,
  })
  if (!spawned.child) return unstartedBuilder(spawned.why)
  const { child, pid } = spawned
  jail.settle(pid)
  setSessionNiceness(pid, jail.procPath)
  const door = child.stdio[3] as Socket
  const waiting = new Map<number, Waiting>()
  let failure: BuilderFailure | undefined
  let complaint = ''
  let lastId = 0

  function fail(error: BuilderFailure): void {
    if (failure) return
    failure = error
    stopWatching()
    kill(child)
    for (const { fail: reject, stopCounting } of waiting.values()) {
      stopCounting()
      reject(error)
    }
    waiting.clear()
  }
  function receive(message: unknown): void {
    const parsed = answerSchema.safeParse(message)
    if (!parsed.success) {
      fail(new BuilderFailure('died', 'it answered what is no answer'))
      return
    }
    const waiter = waiting.get(parsed.data.id)
    waiting.delete(parsed.data.id)
    waiter?.stopCounting()
    const { error, result } = parsed.data
    if (error === undefined) waiter?.settle(result)
    else waiter?.fail(new BuilderFailure('failed', error))
  }
  const read = readMessages(receive)
  const stopWatching = watchMemory(pid, memoryMb, () => fail(new BuilderFailure('memory', `${memoryMb} MB`)))
  child.stderr?.on('data', (text) => (complaint = (complaint + String(text)).slice(-2_000)))
  // Of a living one it says only that a signal did not reach it.
  child.on('error', () => {})
  child.once('close', () => fail(new BuilderFailure('died', complaint.trim().split('\n').at(-1) ?? '')))
  door.on('error', () => {})
  door.on('data', (chunk) => {
    try {
      read(chunk)
    } catch (error) {
      fail(new BuilderFailure('died', (error as Error).message))
    }
  })

  return {
    async ask(job, argument, room) {
      if (failure) throw failure
      const id = ++lastId
      const limit = timeLimit ?? defaultTimeLimit
      const result = await new Promise<unknown>((settle, reject) => {
        const isOver = () => fail(new BuilderFailure('timeout', `${job}, ${limit} ms`))
        waiting.set(id, { settle, fail: reject, stopCounting: startCountdown(pid, limit, isOver) })
        sendMessage(door, { id, job, argument, room } satisfies Question)
      })
      const parsed = answers[job].safeParse(result)
      if (parsed.success) return parsed.data as Answers[typeof job]
      const wrong = new BuilderFailure('died', `its answer to ${job} has another form`)
      fail(wrong)
      throw wrong
    },
    close: () => fail(new BuilderFailure('closed', '')),
  }
}

/** One that the system had no process or no descriptors for: an error of ours, not of a module. */
function unstartedBuilder(why: Promise<Error>): Builder {
  return {
    async ask() {
      throw await why
    },
    close() {},
  }
}

function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
