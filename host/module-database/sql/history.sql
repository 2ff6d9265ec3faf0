-- Which migration was applied to which schema. A module can neither read nor write it: rows come from a definer function
-- that takes the runner's secret, in the same transaction as the migration itself.
create table if not exists module_host.history (
  schema name not null,
  version text collate "C" not null check (version ~ '^\d{4}_\d{2}_\d{2}_\d{6}$'),
  name text not null,
  checksum text not null,
  release text not null,
  milliseconds integer not null,
  -- Its data statements as they ran, [{sql, line}]: what a school that installs later still has to get.
  data jsonb not null,
  applied_at timestamptz not null default pg_catalog.clock_timestamp(),
  primary key (schema, version)
);
alter table module_host.history add column if not exists data jsonb not null default '[]';
-- The secret of the run in progress: each run makes its own, so a lost one opens nothing.
create table if not exists module_host.runner (schema name primary key, hash bytea not null);
revoke all on module_host.history, module_host.runner from public;

create or replace function module_host.record(version text, name text, checksum text, release text, data jsonb, secret text)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own name;
  newest text;
begin
  select m.schema into own from module_host.modules m join module_host.runner r using (schema)
  where m.owner = session_user and r.hash = sha256(convert_to(secret, 'UTF8'));
  if own is null then raise exception 'refused' using errcode = '42501'; end if;
  perform pg_advisory_xact_lock(7411, hashtext(own));
  select max(h.version) into newest from module_host.history h where h.schema = own;
  if record.version collate "C" <= newest then
    raise exception '% is not newer than %', version, newest using errcode = 'PM001';
  end if;
  insert into module_host.history (schema, version, name, checksum, release, data, milliseconds)
  values (own, record.version, record.name, record.checksum, record.release, record.data,
    extract(epoch from clock_timestamp() - transaction_timestamp()) * 1000);
end $$;
revoke all on function module_host.record(text, text, text, text, jsonb, text) from public;

create or replace function module_host.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'applied migrations are immutable' using errcode = 'PM002';
end $$;
create or replace trigger immutable before update on module_host.history
  for each row execute function module_host.refuse_change();

-- Which migrations' data statements a tenant has had: a school that installs the app later gets them then, once.
create table if not exists module_host.tenant_data (
  schema name not null,
  tenant_id text collate "C" not null,
  version text collate "C" not null,
  primary key (schema, tenant_id, version)
);
revoke all on module_host.tenant_data from public;

create or replace function module_host.record_tenant(tenant text, version text, secret text)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into module_host.tenant_data (schema, tenant_id, version)
  select m.schema, record_tenant.tenant, record_tenant.version
  from module_host.modules m join module_host.runner r using (schema)
  where m.owner = session_user and r.hash = sha256(convert_to(secret, 'UTF8'));
  if not found then raise exception 'refused' using errcode = '42501'; end if;
end $$;
revoke all on function module_host.record_tenant(text, text, text) from public;

-- What an erasure removed, in the transaction that removed it: the certificate is signed later, perhaps by another run.
create table if not exists module_host.erased (
  schema name not null,
  tenant_id text collate "C" not null,
  installation_id text collate "C" not null,
  "table" text collate "C" not null,
  rows bigint not null,
  primary key (schema, tenant_id, installation_id, "table")
);
revoke all on module_host.erased from public;

-- `removed` is {table: rows}. What migrations gave the tenant is forgotten, so that it gets it again if it comes back.
create or replace function module_host.record_erasure(tenant text, installation text, removed jsonb, secret text)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  own name;
begin
  select m.schema into own from module_host.modules m join module_host.runner r using (schema)
  where m.owner = session_user and r.hash = sha256(convert_to(secret, 'UTF8'));
  if own is null then raise exception 'refused' using errcode = '42501'; end if;
  delete from module_host.tenant_data t where t.schema = own and t.tenant_id = record_erasure.tenant;
  insert into module_host.erased as before (schema, tenant_id, installation_id, "table", rows)
  select own, record_erasure.tenant, record_erasure.installation, now.key, now.value::bigint
  from jsonb_each_text(removed) now where now.value::bigint > 0
  on conflict (schema, tenant_id, installation_id, "table") do update set rows = before.rows + excluded.rows;
end $$;
revoke all on function module_host.record_erasure(text, text, jsonb, text) from public;

-- Owners that were made before this function are given it here, later ones when they are made.
do $$
declare
  one name;
begin
  perform pg_advisory_xact_lock(7410, 0);
  for one in select m.owner from module_host.modules m loop
    execute format('grant execute on function module_host.record_erasure(text, text, jsonb, text) to %I', one);
  end loop;
end $$;
