import { isUnavailable } from '../../database/unavailable.ts'
import type { Limits } from '../limits.ts'
import type { RunnerLink, RunnerLoss } from '../links.ts'
import { createFrameReceiver, readInPlace } from '../wire/frame-receiver.ts'
import { encodeFrame, type Frame, frameType } from '../wire/frames.ts'
import type { Lent } from '../wire/lent-buffers.ts'
import type { Deadlines } from './deadlines.ts'
import { failed, takenOut } from './open-request.ts'
import { createSentBundles, type LoadableBundle } from './sent-bundles.ts'
import { createSession, LyingRunner, type Session } from './session.ts'
import type { FailureKind, GuestBundle, GuestRequest, Installation } from './types.ts'

/** How long a closed socket waits for the supervisor's word on who was to blame. */
const verdictMs = 2_000
/** No runner holds more isolates. */
const mostLeft = 1_000

export type ConnectionHost = {
  limits: Limits
  /** Gives the code cache inside a sealed one, or undefined when it is not ours. */
  openCodeCache: (sealed: Uint8Array, hash: string) => Uint8Array | undefined
  condemn: (runner: number, reason: string) => void
  /** An installation's code cost this runner its life. */
  onCulprit: (installation: Installation, reason: string) => void
  onClosed: (connection: Connection) => void
  warn: (message: string) => void
  deadlines: Deadlines
  /** Memory for large frames. */
  lend: (size: number) => Lent
}

/** One runner, seen from the web process. */
export type Connection = ReturnType<typeof createConnection>

const isolateKey = (installation: Installation) => `${installation.id}@${installation.version}`

export function createConnection(link: RunnerLink, host: ConnectionHost) {
  const byKey = new Map<string, Session>()
  const byHandle = new Map<number, Session>()
  /** Whose isolates were given up, the latest: what they were sent before may run on, and be the runner's end. */
  const left = new Map<number, Installation>()
  const sentBundles = createSentBundles((frame) => socket.write(frame))
  let dirty = new Set<Session>()
  let lastHandle = 0
  let closed = false

  const flush = () => {
    const frames: Buffer[] = []
    const ready = dirty
    dirty = new Set()
    for (const session of ready) {
      for (let text = session.takeStep(); text !== undefined; text = session.takeStep()) {
        // The runner drops an isolate whose step comes too late: one that goes out about the time its last request ends,
        // or to tell of that end, has a slice's time to be begun.
        const awaitedMs = Math.max(session.awaitedMs(), host.limits.sliceMs)
        frames.push(encodeFrame(frameType.step, session.handle, awaitedMs, text))
      }
    }
    if (closed || frames.length === 0) return
    socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames))
  }
  const sessionHost = {
    deadlines: host.deadlines,
    /** What one turn of the event loop brings, over however many sockets, leaves in one write and runs in few steps. */
    dirty(session: Session) {
      if (dirty.size === 0) setImmediate(flush)
      dirty.add(session)
    },
    drop(session: Session) {
      byHandle.delete(session.handle)
      if (byKey.get(session.key) === session) byKey.delete(session.key)
      if (closed || session.bundleHash() === undefined) return
      socket.write(encodeFrame(frameType.drop, session.handle, 0))
      left.set(session.handle, session.installation)
      const [oldest] = left.keys()
      if (left.size > mostLeft && oldest !== undefined) left.delete(oldest)
    },
  }

  const open = async (session: Session, loadBundle: () => Promise<GuestBundle>) => {
    let bundle: GuestBundle
    try {
      bundle = await loadBundle()
    } catch (error) {
      host.warn(
        `the bundle of ${session.key} could not be fetched: ${error instanceof Error ? error.message : 'no reason'}`,
      )
      // While the database is away no module is to blame: its callers may come back.
      return refuse(session, isUnavailable(error) ? 'runner_lost' : 'load_failed', 'the bundle could not be fetched')
    }
    if (closed || session.isGone()) return
    if (Buffer.byteLength(bundle.code) > host.limits.bundleBytes) {
      return refuse(session, 'load_failed', `the bundle is larger than ${host.limits.bundleBytes} bytes`)
    }
    session.setBundleHash(bundle.hash)
    const number = Buffer.alloc(4)
    number.writeUInt32LE(sentBundles.numberOf(loadable(bundle)))
    socket.write(encodeFrame(frameType.load, session.handle, session.awaitedMs(), number))
    sessionHost.dirty(session)
  }
  const loadable = ({ hash, code, codeCache }: GuestBundle): LoadableBundle => {
    const cache = codeCache && host.openCodeCache(codeCache, hash)
    if (codeCache && !cache) host.warn(`the code cache of bundle ${hash} is not ours: compiled without it`)
    return { hash, code, cache }
  }
  const refuse = (session: Session, kind: FailureKind, message: string) => {
    for (const waiting of session.requests.values()) session.fail(waiting, failed(kind, message))
    session.abandon(message)
  }

  /**
   * One request in the fatal step: it did it, and if it is closed already, its fellows are innocent all the same. Several:
   * each is tried again by itself, if it may be.
   */
  const blame = (session: Session, kind: FailureKind, message: string) => {
    const suspects = session.fatalStep()
    const [only] = suspects
    if (suspects.length === 1 && only) {
      session.fail(only, failed(kind, message))
      return session.abandon(message, () => 'innocent')
    }
    session.abandon(message, (open) => (suspects.includes(open) ? 'suspect' : 'unlucky'))
  }
  const onGone = (session: Session, body: string) => {
    const lineEnd = body.indexOf('\n')
    const why = body.slice(0, lineEnd)
    const text = body.slice(lineEnd + 1, lineEnd + 8_000)
    const message = text.split('\n', 1)[0] ?? ''
    if (why === 'evicted') return session.abandon('evicted')
    if (why === 'starved') return session.abandon('the machine was too busy to finish a time slice', () => 'starved')
    if (why !== 'timeout' && why !== 'memory' && why !== 'flood' && why !== 'load_failed') {
      throw new LyingRunner('an isolate gone for no known reason')
    }
    if (!session.isLoaded()) {
      for (const waiting of session.requests.values()) {
        session.fail(waiting, { kind: 'failed', failure: { kind: 'load_failed', message, stack: text } })
      }
      return session.abandon('load_failed')
    }
    blame(session, why === 'load_failed' ? 'threw' : why, goneMessages[why])
  }

  const onFrame = (frame: Frame, lent?: Lent) => {
    const session = byHandle.get(frame.isolate)
    if (session === undefined) {
      if (frame.isolate > lastHandle || frame.isolate === 0)
        throw new LyingRunner('a frame of an isolate that never was')
      return
    }
    try {
      if (frame.type === frameType.answered) return session.onAnswered(frame.number, frame.body, lent)
      if (frame.type === frameType.stepped) session.onStepped(frame.number, frame.body)
      else if (frame.type === frameType.loaded) session.onLoaded()
      else if (frame.type === frameType.gone) onGone(session, frame.body.toString('utf8'))
      else if (frame.type === frameType.orphan) session.onOrphan(frame.body.toString('utf8', 0, 4_000))
      else throw new LyingRunner('a frame of an unknown type')
      lent?.release()
    } catch (error) {
      if (!(error instanceof LyingRunner || error instanceof RangeError)) throw error
      host.onCulprit(session.installation, error.message)
      throw error
    }
  }
  const onBroken = (error: unknown) => {
    if (!(error instanceof LyingRunner || error instanceof RangeError)) throw error
    host.condemn(link.id, `it sent ${error.message}`)
    socket.destroy()
  }
  const socket = readInPlace(link.socket, createFrameReceiver(host.lend, onFrame), onBroken)
  socket.on('error', () => socket.destroy())

  const onLost = ({ reason, culprit }: RunnerLoss) => {
    if (closed) return
    closed = true
    host.onClosed(connection)
    socket.destroy()
    const guilty = typeof culprit === 'number' ? byHandle.get(culprit) : undefined
    const installation = guilty?.installation ?? (typeof culprit === 'number' ? left.get(culprit) : undefined)
    if (installation !== undefined) host.onCulprit(installation, reason)
    if (guilty !== undefined) {
      if (!guilty.isLoaded() && guilty.fatalStep().length === 0) {
        for (const waiting of guilty.requests.values()) guilty.fail(waiting, failed('runner_lost', reason))
      }
      blame(guilty, 'runner_lost', reason)
    }
    const standing = culprit === null ? 'unlucky' : 'bystander'
    for (const session of [...byHandle.values()]) session.abandon(reason, () => standing)
  }
  link.lost.then(onLost)
  socket.on('close', () => {
    if (closed) return
    // Most often the process is dead and the supervisor is about to say why; if not, it must die.
    const silence = setTimeout(() => {
      host.condemn(link.id, 'its socket closed')
      onLost({ reason: 'its socket closed', culprit: null })
    }, verdictMs)
    link.lost.then(() => clearTimeout(silence))
  })

  const connection = {
    id: link.id,
    role: link.role,
    /** The isolate of this installation and version, made when there is none. */
    sessionFor(request: GuestRequest): Session {
      const key = isolateKey(request.installation)
      const known = byKey.get(key)
      if (known !== undefined) return known
      const session = createSession(sessionHost, key, ++lastHandle, request.installation)
      byKey.set(key, session)
      byHandle.set(session.handle, session)
      open(session, request.loadBundle)
      return session
    },
    dropInstallation(id: string) {
      for (const session of [...byHandle.values()]) {
        if (session.installation.id !== id) continue
        for (const waiting of session.requests.values()) {
          session.fail(waiting, takenOut())
        }
        session.abandon('dropped')
      }
    },
    dropSession: (session: Session) => session.abandon('moved to its ordinary runner'),
    isolates: () => byHandle.size,
    close() {
      closed = true
      for (const session of [...byHandle.values()]) session.abandon('the client closes')
      socket.destroy()
    },
  }
  return connection
}

const goneMessages = {
  timeout: 'one run of the handler took longer than a time slice',
  memory: 'the isolate ran out of memory',
  flood: 'the isolate sent too much at once',
  load_failed: 'the bundle did not load',
} as const
