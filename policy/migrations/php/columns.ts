/** Blueprint's column methods: the arguments they take and the PostgreSQL type they give (PostgresGrammar, Laravel 12). */
import type { Arguments } from './arguments.ts'
import { quoteName, quoteText } from './identifiers.ts'
import type { Column } from './model.ts'
import { refusePhp } from './nodes.ts'
import { isArray, listValues, toText } from './values.ts'

export type ColumnMethod = {
  readonly parameters: readonly string[]
  readonly make: (given: Arguments, name: string) => TypeOf
  /** The name when none is given. */
  readonly name?: string
  /** `nullable`, as `rememberToken()` and `softDeletes()` are. */
  readonly nullable?: true
  /** Gives a column whose `constrained()` and `references()` make a foreign key. */
  readonly foreign?: true
}

export type TypeOf = Pick<Column, 'type'> & Partial<Pick<Column, 'serial' | 'current' | 'allowed' | 'autoIncrement'>>

const now = 'CURRENT_TIMESTAMP'

function plain(type: string, parameters: readonly string[] = ['column']): ColumnMethod {
  return { parameters, make: () => ({ type }) }
}

function whole(type: string, serial: string): ColumnMethod {
  return {
    parameters: ['column', 'autoIncrement', 'unsigned'],
    make: (given) => ({ type, serial, autoIncrement: given.flag('autoIncrement', false) }),
  }
}

function increments(type: string, serial: string, name?: string): ColumnMethod {
  const method = { parameters: ['column'], make: () => ({ type, serial, autoIncrement: true }) }
  return name === undefined ? method : { ...method, name }
}

function clock(type: string, zone: string, current: string | undefined): ColumnMethod {
  return { parameters: ['column', 'precision'], make: (given) => ({ type: clockType(given, type, zone), current }) }
}

/** Laravel's default precision is whole seconds. */
export function clockType(given: Arguments, type: string, zone: string): string {
  return `${type}(${given.number('precision') ?? 0}) ${zone} time zone`
}

function deleted(zone: string): ColumnMethod {
  return { ...clock('timestamp', zone, now), name: 'deleted_at', nullable: true }
}

const string: ColumnMethod = {
  parameters: ['column', 'length'],
  make: (given) => ({ type: `varchar(${given.number('length') || 255})` }),
}

const decimal: ColumnMethod = {
  parameters: ['column', 'total', 'places', 'unsigned'],
  make: (given) => ({ type: `decimal(${given.number('total') ?? 8}, ${given.number('places') ?? 2})` }),
}

const double = plain('double precision', ['column', 'total', 'places', 'unsigned'])

const float: ColumnMethod = {
  parameters: ['column', 'precision', 'places', 'unsigned'],
  // With `places` it is the signature from before Laravel 11, which PostgreSQL stored in double precision.
  make: (given) => {
    const precision = given.number('precision')
    return { type: given.has('places') || !precision ? 'float(53)' : `float(${precision})` }
  },
}

const enumeration: ColumnMethod = {
  parameters: ['column', 'allowed'],
  make(given, name) {
    const values = given.value('allowed')
    if (!isArray(values)) refusePhp(given.node, 'enum without an array of values')
    const allowed = listValues(values).map((value) => toText(value, given.node))
    return { type: `varchar(255) check (${quoteName(name)} in (${allowed.map(quoteText).join(', ')}))`, allowed }
  },
}

const integer = whole('integer', 'serial')
const big = whole('bigint', 'bigserial')
const small = whole('smallint', 'smallserial')
const unsigned = (method: ColumnMethod): ColumnMethod => ({ ...method, parameters: ['column', 'autoIncrement'] })
const ulid: ColumnMethod = {
  parameters: ['column', 'length'],
  make: (given) => ({ type: `char(${given.number('length') ?? 26})` }),
}
const timestamp = clock('timestamp', 'without', now)
const timestampTz = clock('timestamp', 'with', now)

export const columnMethods: Readonly<Record<string, ColumnMethod>> = {
  id: increments('bigint', 'bigserial', 'id'),
  bigIncrements: increments('bigint', 'bigserial'),
  increments: increments('integer', 'serial'),
  integerIncrements: increments('integer', 'serial'),
  mediumIncrements: increments('integer', 'serial'),
  smallIncrements: increments('smallint', 'smallserial'),
  tinyIncrements: increments('smallint', 'smallserial'),
  integer,
  mediumInteger: integer,
  bigInteger: big,
  smallInteger: small,
  tinyInteger: small,
  unsignedInteger: unsigned(integer),
  unsignedMediumInteger: unsigned(integer),
  unsignedBigInteger: unsigned(big),
  unsignedSmallInteger: unsigned(small),
  unsignedTinyInteger: unsigned(small),
  foreignId: { parameters: ['column'], make: () => ({ type: 'bigint', serial: 'bigserial' }), foreign: true },
  foreignUuid: { ...plain('uuid'), foreign: true },
  foreignUlid: { ...ulid, foreign: true },
  char: { parameters: ['column', 'length'], make: (given) => ({ type: charType(given.number('length') ?? 255) }) },
  string,
  tinyText: plain('varchar(255)'),
  text: plain('text'),
  mediumText: plain('text'),
  longText: plain('text'),
  float,
  double,
  decimal,
  unsignedFloat: float,
  unsignedDouble: double,
  unsignedDecimal: decimal,
  boolean: plain('boolean'),
  enum: enumeration,
  json: plain('json'),
  jsonb: plain('jsonb'),
  date: { parameters: ['column'], make: () => ({ type: 'date', current: 'CURRENT_DATE' }) },
  dateTime: timestamp,
  datetime: timestamp,
  dateTimeTz: timestampTz,
  datetimeTz: timestampTz,
  time: clock('time', 'without', undefined),
  timeTz: clock('time', 'with', undefined),
  timestamp,
  timestampTz,
  softDeletes: deleted('without'),
  softDeletesTz: deleted('with'),
  softDeletesDatetime: deleted('without'),
  year: {
    parameters: ['column'],
    make: () => ({ type: 'integer', current: 'EXTRACT(YEAR FROM CURRENT_DATE)' }),
  },
  binary: plain('bytea', ['column', 'length', 'fixed']),
  uuid: { ...plain('uuid'), name: 'uuid' },
  ulid: { ...ulid, name: 'ulid' },
  ipAddress: { ...plain('inet'), name: 'ip_address' },
  macAddress: { ...plain('macaddr'), name: 'mac_address' },
  tsvector: plain('tsvector'),
  rememberToken: { parameters: [], make: () => ({ type: 'varchar(100)' }), name: 'remember_token', nullable: true },
  rawColumn: { parameters: ['column', 'definition'], make: (given) => ({ type: given.name('definition') }) },
}

function charType(length: number): string {
  return length > 0 ? `char(${length})` : 'char'
}
