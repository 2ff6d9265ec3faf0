-- What the host's own role {{role}} keeps of the functions that hardening.sql takes from PUBLIC.
do $$
declare
  callable record;
begin
  for callable in
    select p.oid::pg_catalog.regprocedure as signature
    from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace and p.prokind = 'f'
      and (p.proname in ('set_config', 'current_setting', 'pg_notify', 'pg_sleep', 'pg_backend_pid', 'version', 'to_regclass',
          'pg_current_xact_id', 'pg_current_xact_id_if_assigned', 'pg_is_in_recovery', 'ts_parse', 'get_current_ts_config')
        or p.proname ~ '^pg_(try_)?advisory_')
  loop
    execute pg_catalog.format('grant execute on function %s to {{role}}', callable.signature);
  end loop;
end $$;
