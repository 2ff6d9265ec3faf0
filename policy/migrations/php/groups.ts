/** Blueprint's calls that stand for several columns. */
import type { Arguments } from './arguments.ts'
import { clockType } from './columns.ts'
import type { TypeOf } from './columns.ts'

export type GroupMethod = {
  readonly parameters: readonly string[]
  readonly columns: (given: Arguments) => { name: string; nullable: boolean; type: TypeOf }[]
  /** The columns are indexed together. */
  readonly indexed?: true
}

function timestamps(zone: string): GroupMethod {
  return {
    parameters: ['precision'],
    columns: (given) =>
      ['created_at', 'updated_at'].map((name) => ({
        name,
        nullable: true,
        type: { type: clockType(given, 'timestamp', zone), current: 'CURRENT_TIMESTAMP' },
      })),
  }
}

function morphs(type: TypeOf, nullable: boolean): GroupMethod {
  return {
    parameters: ['name', 'indexName', 'after'],
    indexed: true,
    columns: (given) => [
      { name: `${given.name('name')}_type`, nullable, type: { type: 'varchar(255)' } },
      { name: `${given.name('name')}_id`, nullable, type },
    ],
  }
}

const bigint: TypeOf = { type: 'bigint', serial: 'bigserial' }

export const groupMethods: Readonly<Record<string, GroupMethod>> = {
  timestamps: timestamps('without'),
  nullableTimestamps: timestamps('without'),
  datetimes: timestamps('without'),
  timestampsTz: timestamps('with'),
  nullableTimestampsTz: timestamps('with'),
  morphs: morphs(bigint, false),
  numericMorphs: morphs(bigint, false),
  uuidMorphs: morphs({ type: 'uuid' }, false),
  ulidMorphs: morphs({ type: 'char(26)' }, false),
  nullableMorphs: morphs(bigint, true),
  nullableNumericMorphs: morphs(bigint, true),
  nullableUuidMorphs: morphs({ type: 'uuid' }, true),
  nullableUlidMorphs: morphs({ type: 'char(26)' }, true),
}
