-- What each module's schema occupies. The host's own role reads it through this function: the catalogs are closed to it.
create or replace function module_host.schema_sizes() returns table (schema name, bytes bigint) language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
  select m.schema, coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
  from module_host.modules m
  join pg_namespace n on n.nspname = m.schema
  left join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'S')
  group by m.schema
$$;
revoke all on function module_host.schema_sizes() from public;
