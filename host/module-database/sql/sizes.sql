-- What a schema's files hold, and what of it is free: rows that were deleted leave room in the files, which stay as large.
do $$ begin
  create extension if not exists pg_freespacemap with schema module_host;
exception when insufficient_privilege or undefined_file or feature_not_supported then null; -- Then nothing counts as free.
end $$;

-- Of schemas over their quota, as the last look saw it.
create table if not exists module_host.free_space (schema name primary key, bytes bigint not null);
revoke all on module_host.free_space from public;

-- Without what is free, up to half: so a schema that fills its room anew never gets far before the next look.
create or replace function module_host.schema_sizes() returns table (schema name, bytes bigint) language sql stable security definer
set search_path = pg_catalog, pg_temp as $$
  select m.schema, f.total - least(coalesce((select s.bytes from module_host.free_space s where s.schema = m.schema), 0), f.total / 2)
  from module_host.modules m, lateral (
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as total
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = m.schema and c.relkind in ('r', 'S')
  ) f
$$;
revoke all on function module_host.schema_sizes() from public;

-- Room in the files of a schema's tables, large values and indexes, as VACUUM left it, in bytes.
create or replace function module_host.free_bytes(schema name) returns bigint language plpgsql stable
set search_path = pg_catalog, pg_temp as $$
declare
  home name := (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pg_freespacemap');
  free bigint := 0;
begin
  if home is null then return 0; end if;
  execute format(
    'with tables as (
       select c.oid, c.reltoastrelid from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind = ''r''
     ), heaps as (
       select oid from tables union all select reltoastrelid from tables where reltoastrelid <> 0
     ), files as (
       select oid from heaps union all select i.indexrelid from pg_index i join heaps on i.indrelid = heaps.oid
     )
     select coalesce(sum(f.avail), 0) from files, %I.pg_freespace(files.oid::regclass) f', home)
    into free using schema;
  return free;
exception when insufficient_privilege then return 0;
end $$;
revoke all on function module_host.free_bytes(name) from public;
