-- Takes from PUBLIC what a module's role must not have: the catalogs, the languages, and every function with an effect
-- or a view beyond its arguments. What the host's own roles need is granted back in core-grants.sql. Superuser only.
do $$ begin execute pg_catalog.format('revoke all on database %I from public', pg_catalog.current_database()); end $$;
revoke all on schema public from public;
revoke usage on language plpgsql, sql from public;
revoke usage on schema information_schema from public;
revoke all on all tables in schema information_schema, pg_catalog from public;

do $$
declare
  callable record;
begin
  for callable in
    select p.oid::pg_catalog.regprocedure as signature
    from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace and p.prokind = 'f'
      and pg_catalog.has_function_privilege('public', p.oid, 'execute')
      and case
        when p.provolatile = 'v' then
          p.proname not in ('array_sample', 'array_shuffle', 'clock_timestamp', 'gen_random_uuid', 'uuidv4', 'uuidv7',
            'nextval', 'random', 'random_normal', 'timeofday')
          and p.prorettype not in ('trigger'::pg_catalog.regtype, 'event_trigger'::pg_catalog.regtype)
        else
          p.proname ~ '^(pg_|has_|inet_|txid_|mxid_|lo_|database_to_|schema_to_|table_to_|query_to_|cursor_to_|binary_upgrade|fmgr_|to_reg|current_setting|current_schemas|col_description|obj_description|shobj_description|row_security_active|aclexplode|makeaclitem|acldefault|version|ts_stat|ts_debug|ts_parse|ts_token_type|get_current_ts_config|getpgusername|system_user|oidvectortypes)'
          and p.proname not in ('pg_typeof', 'pg_column_size', 'pg_collation_for', 'pg_trigger_depth')
          -- Operators and the input and output of types are what expressions are made of.
          and not exists (select from pg_catalog.pg_operator o where o.oprcode = p.oid)
          and not exists (select from pg_catalog.pg_type t where p.oid in (t.typinput, t.typoutput, t.typreceive, t.typsend, t.typmodin, t.typmodout))
      end
  loop
    execute pg_catalog.format('revoke execute on function %s from public', callable.signature);
  end loop;
end $$;

-- The gate functions are the one exception.
grant usage on language sql, plpgsql to {{gate_owner}};
grant execute on function pg_catalog.set_config(text, text, boolean), pg_catalog.current_setting(text),
  pg_catalog.current_setting(text, boolean), pg_catalog.pg_backend_pid() to {{gate_owner}};
