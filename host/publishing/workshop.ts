import { type Builder, type BuilderJail, buildBuilderJail, startBuilder } from '../builder/builder.ts'
import { BuilderFailure } from '../builder/builder-failure.ts'
import { fileFinding, refused } from './refused.ts'
import { type SourceFiles, unpackSource } from './source-files.ts'

/** A module's source in a folder of its own, and the jailed process that reads it. */
export type Workbench = { folder: string; builder: Builder }

export type Workshop = {
  /** Unpacks, works, removes. What the builder cannot do is a refusal of the module. */
  withSource<Result>(files: SourceFiles, work: (bench: Workbench) => Promise<Result>): Promise<Result>
}

/** `limits` are those of every builder. The jail is found out once, at the first use. */
export function createWorkshop(limits: { timeLimit?: number; memoryMb?: number } = {}): Workshop {
  let jail: BuilderJail | undefined
  return {
    async withSource(files, work) {
      jail ??= buildBuilderJail()
      const source = unpackSource(files, jail.user)
      const builder = startBuilder({ jail, folder: source.folder, ...limits })
      try {
        return await work({ folder: source.folder, builder })
      } catch (error) {
        if (!(error instanceof BuilderFailure)) throw error
        throw refused(error.message, [fileFinding(`builder-${error.code}`, 'manifest.json', error.message)])
      } finally {
        builder.close()
        source.remove()
      }
    },
  }
}
