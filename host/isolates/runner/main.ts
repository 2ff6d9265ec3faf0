import { Socket } from 'node:net'
import { resolveLimits } from '../limits.ts'
import { createFrameReader, encodeFrame, type Frame, frameType } from '../wire/frames.ts'
import { createGuestWork } from './guest-work.ts'
import { createJournal } from './journal.ts'
import { createOutgoing } from './outgoing.ts'
import { controlFd, firstLaneFd, journalFd, type RunnerSettings } from './settings.ts'
import { createSweeper } from './sweeper.ts'
import { createWorkQueue } from './work-queue.ts'

/** Isolates are made ahead in a quiet moment: not between a load and its first call. */
const prepareAfterMs = 5

/**
 * The runner process: owns isolates and nothing else. It has no database, no files, no network, no environment; it talks
 * over sockets it inherited: one to its supervisor, one to each web process. It may be killed at any moment.
 */
function runRunner(settings: RunnerSettings): void {
  const limits = resolveLimits(settings.limits)
  const control = new Socket({ fd: controlFd, readable: true, writable: true })
  const lanes = Array.from({ length: settings.lanes }, (_, lane) => {
    return new Socket({ fd: firstLaneFd + lane, readable: true, writable: true })
  })
  const journal = createJournal(journalFd)
  const outgoing = createOutgoing((lane) => lanes[lane])
  const work = createGuestWork(limits, journal, outgoing.put)
  let preparing = false
  const prepareSoon = () => {
    if (preparing || work.isPrepared()) return
    preparing = true
    setTimeout(() => {
      preparing = false
      work.prepare()
      prepareSoon()
    }, prepareAfterMs)
  }
  const enqueue = createWorkQueue({
    onJob: outgoing.flush,
    onIdle() {
      journal.leave()
      prepareSoon()
      outgoing.flush()
    },
  })
  const sweeper = createSweeper({ sweepOne: work.sweepOne, enqueue, now: () => performance.now() })

  const read = (socket: Socket, onFrame: (frame: Frame) => void) => {
    const reader = createFrameReader(onFrame)
    socket.on('data', (chunk) => {
      try {
        reader(chunk)
      } catch {
        socket.destroy()
      }
    })
    socket.on('error', () => socket.destroy())
  }
  lanes.forEach((socket, lane) => {
    read(socket, (frame) => {
      const arrived = performance.now()
      sweeper.worked()
      enqueue(() => work.take(lane, frame, arrived))
    })
    socket.on('close', () => enqueue(() => work.closeLane(lane)))
  })
  read(control, (frame) => {
    if (frame.type !== frameType.ping) return
    control.write(encodeFrame(frameType.ping, 0, frame.number))
  })
  control.on('close', () => process.exit(0))
  // A service manager tells every process: web processes finish what they run, and the supervisor ends this one after them.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  setInterval(() => {
    enqueue(work.evictIdle)
    sweeper.begin()
    control.write(encodeFrame(frameType.stats, 0, 0, JSON.stringify(work.stats())))
  }, settings.housekeepingMs).unref()

  while (!work.isPrepared()) work.prepare()
  control.write(encodeFrame(frameType.ready, 0, 0))
}

runRunner(JSON.parse(process.argv[2]!))
