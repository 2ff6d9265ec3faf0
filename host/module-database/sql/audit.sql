-- What must hold for each table of a module, whatever its migrations said.

-- Which rule of a module's table is broken; null when none.
create or replace function module_host.table_defect(relation pg_class) returns text language sql stable
set search_path = pg_catalog, pg_temp as $$
  with tenant as (select attnum, attnotnull, atttypid from pg_attribute where attrelid = relation.oid and attname = 'tenant_id')
  select case
    when relation.relpersistence <> 'p' then 'it is not permanent'
    when not (relation.relrowsecurity and relation.relforcerowsecurity) then 'row-level security is off'
    when (select count(*) from pg_policy where polrelid = relation.oid) <> 1 or not exists (
      select from pg_policy p where p.polrelid = relation.oid and p.polcmd = '*' and p.polpermissive and p.polroles = '{0}'
        and pg_get_expr(p.polqual, relation.oid) = '(tenant_id = ( SELECT gate.tenant() AS tenant))'
        and pg_get_expr(p.polwithcheck, relation.oid) = '(tenant_id = ( SELECT gate.tenant() AS tenant))')
      then 'the tenant policy is missing or changed'
    when not exists (select from tenant where attnotnull and atttypid = 'text'::regtype) then 'tenant_id is missing or may be null'
    when exists (select from pg_index i where i.indrelid = relation.oid and (i.indisunique or i.indisexclusion)
        and i.indkey[0] <> (select attnum from tenant)) then 'a unique key does not begin with tenant_id'
    when exists (
      select from pg_constraint k where k.conrelid = relation.oid and k.contype = 'f' and (
        k.conkey[1] <> (select attnum from tenant)
        or not exists (select from pg_attribute a where a.attrelid = k.confrelid and a.attname = 'tenant_id' and a.attnum = k.confkey[1])
        or (select c.relnamespace from pg_class c where c.oid = k.confrelid) <> relation.relnamespace))
      then 'a foreign key does not begin with tenant_id or leaves the schema'
    when exists (select from pg_trigger where tgrelid = relation.oid and not tgisinternal)
      or exists (select from pg_trigger where tgrelid = relation.oid and tgenabled = 'D')
      or exists (select from pg_rewrite where ev_class = relation.oid)
      or exists (select from pg_inherits where inhrelid = relation.oid or inhparent = relation.oid)
      then 'it has a trigger, a rule or a parent, or its keys are disabled'
    when exists (
      select from aclexplode(relation.relacl) x where x.grantee <> relation.relowner and (
        x.grantee <> coalesce((select r.oid from module_host.modules m join pg_roles r on r.rolname = m.runtime
          where m.owner = pg_get_userbyid(relation.relowner)), 0)
        or x.privilege_type not in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')))
      then 'it is granted to someone else'
  end
$$;

-- A foreign key that this transaction made or validated, with rows that do not fit it; null when all do. The server's own
-- check ran as the owner, who sees no rows at all or one tenant's: row-level security is forced on him.
create or replace function module_host.misfit_key(target oid) returns name language plpgsql
set search_path = pg_catalog, pg_temp as $$
declare
  key record;
  misfit boolean;
begin
  for key in
    select k.conname, k.conrelid, k.confrelid, string_agg(format('c.%I is not null', own.attname), ' and ') as filled,
      string_agg(format('p.%I = c.%I', other.attname, own.attname), ' and ') as equal
    from pg_constraint k
    cross join lateral unnest(k.conkey, k.confkey) as pair (own, other)
    join pg_attribute own on own.attrelid = k.conrelid and own.attnum = pair.own
    join pg_attribute other on other.attrelid = k.confrelid and other.attnum = pair.other
    where k.conrelid = target and k.contype = 'f' and k.convalidated and k.xmin = pg_current_xact_id()::xid
    group by k.oid
  loop
    execute format('select exists (select from %s c where %s and not exists (select from %s p where %s))',
      key.conrelid::regclass, key.filled, key.confrelid::regclass, key.equal) into misfit;
    if misfit then return key.conname; end if;
  end loop;
  return null;
end $$;

create or replace function module_host.audit_table(target oid) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  relation pg_class;
  defect text;
  misfit name;
begin
  select * into relation from pg_class where oid = target;
  if not found or relation.relkind not in ('r', 'p') then return; end if;
  defect := module_host.table_defect(relation);
  if defect is not null then
    raise exception 'table %: %', relation.relname, defect using errcode = '42501';
  end if;
  misfit := module_host.misfit_key(target);
  if misfit is not null then
    raise exception 'foreign key constraint "%" of relation "%" is violated by some row', misfit, relation.relname
      using errcode = '23503';
  end if;
end $$;

-- The whole schema, kinds of objects included; once for each run, since its cost grows with the schema.
create or replace function module_host.audit_schema(target name) returns integer language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  namespace oid := quote_ident(target)::regnamespace;
  audited integer := 0;
  relation record;
  strange text;
begin
  for relation in select oid from pg_class where relnamespace = namespace and relkind in ('r', 'p') loop
    perform module_host.audit_table(relation.oid);
    audited := audited + 1;
  end loop;
  select string_agg(what, ', ') into strange from (
    select 'relation of kind ' || relkind::text from pg_class where relnamespace = namespace and relkind not in ('r', 'i', 'S', 't', 'c')
    union all select 'function ' || proname from pg_proc where pronamespace = namespace
    union all select 'operator ' || oprname from pg_operator where oprnamespace = namespace
    union all select 'type ' || typname from pg_type where typnamespace = namespace and typtype not in ('e', 'c') and typcategory <> 'A'
    union all select 'conversion ' || conname from pg_conversion where connamespace = namespace
    union all select 'collation ' || collname from pg_collation where collnamespace = namespace
    union all select 'operator class ' || opcname from pg_opclass where opcnamespace = namespace
    union all select 'text search ' || dictname from pg_ts_dict where dictnamespace = namespace
    union all select 'grant on the schema' from pg_namespace n, aclexplode(n.nspacl) x
      where n.oid = namespace and x.grantee <> n.nspowner and x.grantee <> coalesce(
        (select r.oid from module_host.modules m join pg_roles r on r.rolname = m.runtime where m.schema = target), 0)
  ) found (what);
  if strange is not null then
    raise exception 'schema %: %', target, strange using errcode = '42501';
  end if;
  return audited;
end $$;

revoke all on function module_host.table_defect(pg_catalog.pg_class), module_host.misfit_key(oid), module_host.audit_table(oid), module_host.audit_schema(name) from public;
