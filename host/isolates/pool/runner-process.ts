import type { StdioOptions } from 'node:child_process'
import { closeSync, openSync, readSync, unlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { CpuGroup } from '../../processes/cpu-groups.ts'
import type { RunnerJail } from '../runner-jail.ts'
import type { Limits } from '../limits.ts'
import { readJournal } from '../runner/journal.ts'
import { controlFd, firstLaneFd, type RunnerSettings } from '../runner/settings.ts'
import { createFrameReader, encodeFrame, frameType } from '../wire/frames.ts'
import { createConfinement } from './confinement.ts'
import { openProcessStat } from '../../processes/process-stat.ts'
import { spawnProcess } from '../../processes/spawn-process.ts'
import { createStanding } from '../../processes/standing.ts'
import { judgeStart } from './start-judge.ts'
import { createWatchdog, type Verdict, watchdogTickMs } from './watchdog.ts'

export type RunnerExit = { reason: string; culprit: { lane: number; isolate: number } | undefined }

export type RunnerProcess = {
  id: number
  pid: number
  /** Settles when the runner answers; rejects when it ends before that. */
  ready: Promise<void>
  exited: Promise<RunnerExit>
  /** Somebody waits for it: its start, of low priority else, goes on like any other work of the platform. */
  hurryStart: () => void
  /** A lane nobody holds yet, or undefined when all are given away. */
  takeLane: () => { lane: number; socket: Socket } | undefined
  stats: () => Record<string, number>
  /** For a reason of the host's own: whose code was running is not to blame. */
  kill: (reason: string) => void
}

const verdicts: Record<Verdict, string> = {
  cpu: 'unresponsive while using the CPU',
  silence: 'silent without using the CPU',
  memory: 'too much memory',
}
const housekeepingMs = 2_000
/** Between two looks at a runner that starts: a machine that stood still meanwhile blames nobody. */
const startLookMs = 1_000

/**
 * Starts one jailed runner and watches over it until it is gone. `awaited`: calls wait for it already. A priority that was
 * lowered only root may raise again.
 */
export function startRunner(
  id: number,
  jail: RunnerJail,
  limits: Limits,
  lanes: number,
  awaited: boolean,
): RunnerProcess {
  const settings: RunnerSettings = { lanes, limits, housekeepingMs: Math.min(housekeepingMs, limits.idleMs) }
  const { program, args } = jail.command('main', JSON.stringify(settings))
  const laneStdio = Array.from({ length: lanes }, () => 'pipe' as const)
  let journal: number
  try {
    journal = openJournalFile()
  } catch (error) {
    return unstartedRunner(id, Promise.resolve(error as Error))
  }
  // In the host's session: in one of its own, Linux weighs it as a group, in which being nice counts for nothing.
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', 'pipe', journal, ...laneStdio]
  const spawned = spawnProcess(program, args, { stdio, env: {} })
  if (!spawned.child) {
    closeSync(journal)
    return unstartedRunner(id, spawned.why)
  }
  const { child, pid } = spawned
  if (!awaited) jail.settle(pid)
  const control = child.stdio[controlFd] as Socket
  const sockets = child.stdio.slice(firstLaneFd) as Socket[]
  for (const socket of [control, ...sockets]) socket.on('error', () => socket.destroy())
  const stat = openProcessStat(pid, jail.procPath)
  let reason = ''
  let nextLane = 0
  let figures: Record<string, number> = {}
  let complaint = ''
  child.stderr?.on('data', (text) => {
    complaint = (complaint + String(text)).slice(-2_000)
  })

  let excused = false
  const end = (why: string) => {
    reason ||= why
    child.kill('SIGKILL')
  }
  const { confine } = jail
  const confinement = createConfinement((confined) => confine?.(pid, confined))
  let group: CpuGroup | undefined
  let standing: ReturnType<typeof createStanding> | undefined
  const look = () => {
    const seen = stat.read()
    if (seen === undefined) return undefined
    const burns = confinement.seen(seen.cpuMs, watchdog.owes())
    standing?.seen(seen, burns)
    return seen
  }
  const watchdog = createWatchdog(
    limits,
    look,
    (number) => control.write(encodeFrame(frameType.ping, 0, number)),
    (hurry) => (standing ? standing.hurry(hurry) : jail.settle(pid, hurry ? 'ordinary' : 'low')),
  )
  let ticking: NodeJS.Timeout | undefined
  const judge = judgeStart()
  const starting = setInterval(() => {
    const verdict = judge(stat.read())
    if (verdict !== undefined) end(verdict)
  }, startLookMs)
  const ready = new Promise<void>((resolve, reject) => {
    const reader = createFrameReader((frame) => {
      if (frame.type === frameType.ping) watchdog.pong(frame.number)
      else if (frame.type === frameType.stats) figures = readFigures(frame.body)
      else if (frame.type === frameType.ready && ticking === undefined) {
        clearInterval(starting)
        jail.settle(pid)
        // Its start is the platform's own code, of low priority: in a group of its own it would not be low.
        group = jail.makeGroup?.(pid)
        standing = group && createStanding(group.rank)
        ticking = setInterval(() => {
          const verdict = watchdog.tick()
          // Its answer may have arrived unread, and somebody else's code be running by now: reading comes first.
          if (verdict !== undefined) setImmediate(() => watchdog.stands(verdict) && end(verdicts[verdict]))
        }, watchdogTickMs)
        resolve()
      }
    }, 65_536)
    control.on('data', (chunk) => {
      try {
        reader(chunk)
      } catch {
        end('a broken control frame')
      }
    })
    child.once('exit', () => reject(new Error(`a runner did not start: ${reason || complaint.trim() || 'it ended'}`)))
  })
  ready.catch(() => {})

  const exited = new Promise<RunnerExit>((resolve) => {
    const finish = (how: string) => {
      clearInterval(starting)
      clearInterval(ticking)
      stat.close()
      group?.remove()
      const culprit = takeCulprit(journal)
      resolve({ reason: reason || how, culprit: excused ? undefined : culprit })
      control.destroy()
      for (const socket of sockets.slice(nextLane)) socket.destroy()
    }
    child.once('exit', (code, signal) => finish(`ended by ${signal ?? `code ${code}`}`))
  })
  // Of a living one it says only that a signal did not reach it.
  child.on('error', () => {})

  return {
    id,
    pid,
    ready,
    exited,
    hurryStart() {
      if (ticking === undefined) jail.settle(pid, 'ordinary')
    },
    takeLane() {
      const lane = nextLane
      const socket = sockets[lane]
      if (socket === undefined) return undefined
      nextLane++
      return { lane, socket }
    },
    stats: () => ({ pid, rssMb: Math.round(stat.read()?.rssMb ?? 0), ...figures }),
    kill(why) {
      excused ||= reason === ''
      end(why)
    },
  }
}

/** One that the system had no process or no descriptors for: it ends as soon as it is known why. */
function unstartedRunner(id: number, why: Promise<Error>): RunnerProcess {
  const ready = why.then((error) => Promise.reject(error))
  ready.catch(() => {})
  return {
    id,
    pid: -1,
    ready,
    exited: why.then(({ message }) => ({ reason: message, culprit: undefined })),
    hurryStart() {},
    takeLane: () => undefined,
    stats: () => ({}),
    kill() {},
  }
}

/** The journal has no name in the file system: it lives as long as the two processes that hold it. */
function openJournalFile(): number {
  const path = join(tmpdir(), `partner-journal-${randomUUID()}`)
  const fd = openSync(path, 'wx+', 0o600)
  unlinkSync(path)
  return fd
}

function takeCulprit(journal: number): RunnerExit['culprit'] {
  const record = Buffer.alloc(8)
  const read = readSync(journal, record, 0, 8, 0)
  closeSync(journal)
  return read === 8 ? readJournal(record) : undefined
}

/** A runner's figures are for the log only; anything but numbers is dropped. */
function readFigures(body: Buffer): Record<string, number> {
  const parsed: unknown = JSON.parse(body.toString('utf8'))
  if (typeof parsed !== 'object' || parsed === null) return {}
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  )
}
