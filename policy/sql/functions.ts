/**
 * The functions that a module's SQL may call. Each one was read in PostgreSQL 18's catalog: none reads or changes session
 * state, files, other sessions, the catalog or large objects, and none runs SQL from a string.
 */
const names = `abbrev abs acos acosd acosh age any_value area array_agg array_append array_cat array_dims array_fill
  array_length array_lower array_ndims array_position array_positions array_prepend array_remove array_replace
  array_reverse array_sample array_shuffle array_sort array_to_json array_to_string array_to_tsvector array_upper ascii
  asin asind asinh atan atan2 atan2d atand atanh avg bit bit_and bit_count bit_length bit_or bit_xor bool bool_and
  bool_or box bpchar broadcast btrim bytea cardinality casefold cash_words cbrt ceil ceiling center char char_length
  character_length chr cidr circle clock_timestamp concat concat_ws convert_from convert_to corr cos cosd cosh cot cotd
  count covar_pop covar_samp crc32 crc32c cume_dist date date_add date_bin date_part date_subtract date_trunc
  datemultirange daterange daterange_canonical daterange_subdiff decode degrees dense_rank dexp diagonal diameter div
  dlog1 dlog10 dround dtrunc encode enum_first enum_last enum_range erf erfc every exp extract factorial family
  first_value float4 float8 floor format gamma gcd gen_random_uuid generate_series generate_subscripts get_bit get_byte
  hashtext height host hostmask icu_unicode_version initcap int2 int4 int4inc int4multirange int4range
  int4range_canonical int4range_subdiff int8 int8_sum int8multirange int8range int8range_canonical int8range_subdiff
  interval is_normalized isclosed isempty isfinite ishorizontal isopen isparallel isperp isvertical json_agg
  json_agg_strict json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
  json_each json_each_text json_extract_path json_extract_path_text json_object json_object_agg json_object_agg_strict
  json_object_agg_unique json_object_agg_unique_strict json_object_keys json_populate_record json_populate_recordset
  json_strip_nulls json_to_record json_to_recordset json_to_tsvector json_typeof jsonb_agg jsonb_agg_strict
  jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each
  jsonb_each_text jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg
  jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict jsonb_object_keys jsonb_path_exists
  jsonb_path_exists_tz jsonb_path_match jsonb_path_match_tz jsonb_path_query jsonb_path_query_array
  jsonb_path_query_array_tz jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
  jsonb_populate_record_valid jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax jsonb_strip_nulls
  jsonb_to_record jsonb_to_recordset jsonb_to_tsvector jsonb_typeof justify_days justify_hours justify_interval lag
  last_value lcm lead left length lgamma like like_escape line ln log log10 lower lower_inc lower_inf lpad lseg ltrim
  macaddr macaddr8 macaddr8_set7bit make_date make_interval make_time make_timestamp make_timestamptz masklen max md5
  min min_scale mod mode money multirange netmask network nextval normalize notlike now npoints nth_value ntile
  num_nonnulls num_nulls numeric numeric_div_trunc numeric_exp numeric_inc numeric_ln numeric_log numeric_sqrt
  nummultirange numnode numrange numrange_subdiff octet_length overlaps overlay parse_ident path pclose percent_rank
  percentile_cont percentile_disc pg_column_size pg_typeof phraseto_tsquery pi plainto_tsquery point polygon popen
  position pow power querytree quote_ident quote_literal quote_nullable radians radius random random_normal range_agg
  range_intersect_agg range_merge rank regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
  regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy regr_count regr_intercept regr_r2
  regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right round row_number row_to_json rpad rtrim scale
  set_bit set_byte set_masklen setweight sha224 sha256 sha384 sha512 sign similar_escape similar_to_escape sin sind sinh
  slope split_part sqrt starts_with statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_array
  string_to_table strip strpos substr substring sum tan tand tanh text textlen time timeofday timestamp timestamptz
  timetz timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb to_number to_oct to_timestamp to_tsquery
  to_tsvector transaction_timestamp translate trim_array trim_scale trunc ts_delete ts_filter ts_headline ts_lexize
  ts_rank ts_rank_cd tsmultirange tsquery_phrase tsrange tsrange_subdiff tstzmultirange tstzrange tstzrange_subdiff
  tsvector_to_array unicode_assigned unicode_version unistr unnest upper upper_inc upper_inf uuid_extract_timestamp
  uuid_extract_version uuidv4 uuidv7 var_pop var_samp varbit varchar variance websearch_to_tsquery width width_bucket`

export const allowedFunctions: ReadonlySet<string> = new Set(names.split(/\s+/))

/**
 * Needs a literal sequence name of the module's own schema as its first argument. `currval` and `lastval` are
 * closed: sessions serve many tenants, and they answer what another one drew. RETURNING gives the new row's number.
 */
export const sequenceFunctions: ReadonlySet<string> = new Set(['nextval'])

/** Never in a definition: each makes a default or an index depend on a query or on many rows. */
export const queryOnlyFunctions: ReadonlySet<string> = new Set(['generate_series', 'timeofday', 'random_normal'])

/**
 * Where a row has no such column, `row.name` calls a function of that name. These take a row of any type, so the notation
 * would go round the list above. A test compares this list with the server's catalog.
 */
export const functionalNotation: ReadonlySet<string> = new Set(
  `row_to_json to_json to_jsonb pg_typeof pg_column_size pg_column_compression pg_column_toast_chunk_id pg_collation_for
  hash_record hash_record_extended record_out record_send quote_literal quote_nullable json_agg jsonb_agg json_agg_strict
  jsonb_agg_strict num_nulls num_nonnulls any_out anyelement_out anynonarray_out anycompatible_out
  anycompatiblenonarray_out pg_restore_attribute_stats pg_restore_relation_stats`.split(/\s+/),
)

/**
 * `(value).name`, and `x.name` where `x` is a FROM item of single values, call any function of one argument and cast to
 * any type: these have an effect or a view beyond their argument. A test compares them with what hardening.sql closes.
 */
const valueNotation: ReadonlySet<string> = new Set(
  `aclexplode amvalidate brin_summarize_new_values current_schemas current_setting currval fmgr_c_validator
  fmgr_internal_validator fmgr_sql_validator gin_clean_pending_list lo_close lo_creat lo_create lo_get lo_import lo_tell
  lo_tell64 lo_unlink mxid_age nextval obj_description oidvectortypes plpgsql_validator row_security_active setseed
  ts_debug ts_stat ts_token_type txid_snapshot_xip txid_snapshot_xmax txid_snapshot_xmin txid_status`.split(/\s+/),
)
/** Whole families, whose names no column of a module has. */
const catalogNotation =
  /^_?(pg_|binary_upgrade_|aclitem|(to_)?reg(class|collation|config|dictionary|namespace|oper|operator|proc|procedure|role|type|typemod)(in|out|send|recv)?$)/

/** Whether a name after a dot could do what the list of functions and the types refuse. */
export function isClosedNotation(name: string): boolean {
  return functionalNotation.has(name) || valueNotation.has(name) || catalogNotation.test(name)
}
