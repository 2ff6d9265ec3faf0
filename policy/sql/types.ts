const allowed: ReadonlySet<string> = new Set(
  `bool boolean int2 int4 int8 smallint integer bigint int float4 float8 real numeric decimal money text varchar bpchar
  char character uuid date time timetz timestamp timestamptz interval json jsonb jsonpath bytea bit varbit inet cidr
  macaddr macaddr8 tsvector tsquery int4range int8range numrange daterange tsrange tstzrange int4multirange int8multirange
  nummultirange datemultirange tsmultirange tstzmultirange point line lseg box path polygon circle smallserial serial
  bigserial serial2 serial4 serial8 record citext regconfig`.split(/\s+/),
)

/** Types of pg_catalog that carry no safe prefix to know them by; a test compares the list with the server's catalog. */
const catalogTypes: ReadonlySet<string> = new Set(
  `name oid oidvector int2vector tid xid xid8 cid xml aclitem gtsvector refcursor txid_snapshot unknown cstring internal
  void trigger event_trigger language_handler fdw_handler index_am_handler tsm_handler table_am_handler`.split(/\s+/),
)

/** An unqualified name is looked up in pg_catalog first, so what the server owns there is not the module's to name. */
export function isCatalogType(name: string): boolean {
  return catalogTypes.has(name) || /^(_|pg_|reg|any|information_schema)/.test(name)
}

export function isAllowedType(name: string): boolean {
  return allowed.has(name)
}
