import { join } from 'node:path'
import { type Builder, type BuilderJail, buildBuilderJail, startBuilder } from '../../builder/builder.ts'
import { BuilderFailure } from '../../builder/builder-failure.ts'
import type { Answers } from '../../builder/messages.ts'
import { fileFinding, refused } from '../refused.ts'
import { makeSourceFolder, type SourceFiles, type SourceFolder } from './source-files.ts'

/** A module's source in a folder of its own, and the jailed process that reads it. */
export type Workbench = { folder: string; builder: Builder }

export type Workshop = {
  /** Unpacks, works, removes. What the builder cannot do is a refusal of the module. */
  withSource<Result>(files: SourceFiles, work: (bench: Workbench) => Promise<Result>): Promise<Result>
  /** Has a builder ready for the next source: for one that is saved again and again. */
  prepare(): void
  /**
   * Begins to read sources that are about to come: `withSource` of the same files then finds the work done or under way.
   * One builder reads them all, so they must be of one author.
   */
  readAhead(sources: readonly SourceFiles[]): void
  /** What the system does not allow of a builder's jail, in words. */
  missingWalls(): string[]
  close(): void
}

type Bench = Workbench & { discard(): void }
/** A bench whose folder is still empty. */
type EmptyBench = Bench & Pick<SourceFolder, 'write'>

/** A builder that nobody used for that long is ended. */
const idleTime = 120_000

/** `limits` are those of every builder. The jail is found out once, at the first use. */
export function createWorkshop(limits: { timeLimit?: number; memoryMb?: number } = {}): Workshop {
  let jail: BuilderJail | undefined
  let spare: EmptyBench | undefined
  let idle: NodeJS.Timeout | undefined
  const ahead = new Map<string, Bench>()

  const jailOfAll = () => (jail ??= buildBuilderJail())

  function open(): EmptyBench {
    const jail = jailOfAll()
    const source = makeSourceFolder(jail.user)
    const builder = startBuilder({ jail, folder: source.folder, ...limits })
    const discard = () => {
      builder.close()
      source.remove()
    }
    return { folder: source.folder, builder, discard, write: source.write }
  }
  function takeSpare(): EmptyBench | undefined {
    clearTimeout(idle)
    const taken = spare
    spare = undefined
    return taken
  }
  function takeAhead(files: SourceFiles): Bench | undefined {
    const key = JSON.stringify(files)
    const taken = ahead.get(key)
    ahead.delete(key)
    return taken
  }
  function fill(bench: EmptyBench, files: SourceFiles, inside?: string): EmptyBench {
    try {
      bench.write(files, inside)
      return bench
    } catch (error) {
      bench.discard()
      throw error
    }
  }
  function discardUnused(): void {
    const left = takeSpare()
    for (const bench of [...ahead.values(), ...(left ? [left] : [])]) bench.discard()
    ahead.clear()
  }

  return {
    async withSource(files, work) {
      const bench = takeAhead(files) ?? fill(takeSpare() ?? open(), files)
      try {
        return await work(bench)
      } catch (error) {
        if (!(error instanceof BuilderFailure)) throw error
        throw refused(error.message, [fileFinding(`builder-${error.code}`, 'manifest.json', error.message)])
      } finally {
        bench.discard()
      }
    },
    prepare() {
      if (spare) return
      const bench = open()
      spare = bench
      // One that fails before it is used is not used.
      bench.builder.ask('warm').catch(() => spare === bench && discardUnused())
      idle = setTimeout(discardUnused, idleTime)
    },
    readAhead(sources) {
      const shared = open()
      const rooms = sources.map((files, index) => ({ files, room: `source${index}` }))
      for (const { files, room } of rooms) fill(shared, files, room)
      let left = rooms.length
      for (const { files, room } of rooms) {
        ahead.set(JSON.stringify(files), {
          folder: join(shared.folder, room),
          builder: withAnswersAhead(inRoom(shared.builder, room)),
          discard: () => void (--left === 0 && shared.discard()),
        })
      }
    },
    missingWalls: () => jailOfAll().report.missing,
    close() {
      discardUnused()
      jail?.remove()
      jail = undefined
    },
  }
}

/** The builder, for one of the modules in its folder. */
const inRoom = (builder: Builder, room: string): Builder => ({
  ...builder,
  ask: (job, argument) => builder.ask(job, argument, room),
})

/** Asks at once what every publishing asks, and keeps the answers: a source's folder does not change. */
function withAnswersAhead(builder: Builder): Builder {
  const answers = { scan: builder.ask('scan'), bundle: builder.ask('bundle') }
  // Whoever asks hears of a failure.
  for (const answer of Object.values(answers)) answer.catch(() => {})
  const ask = (job: keyof Answers, argument?: unknown) =>
    job === 'scan' || job === 'bundle' ? answers[job] : builder.ask(job, argument)
  return { ...builder, ask: ask as Builder['ask'] }
}
