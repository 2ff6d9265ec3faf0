-- For a server where no superuser is to be had: the tenant travels in an ordinary parameter, which a hostile statement
-- could set, sealed with a keyed hash over this backend and this transaction, which it cannot make.
create table if not exists gate.seal (key bytea not null);
revoke all on gate.seal from public;
insert into gate.seal
select pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.gen_random_uuid()::text || pg_catalog.gen_random_uuid()::text, 'UTF8'))
where not exists (select from gate.seal);

create or replace function gate.sealed(tenant text) returns text language sql stable
set search_path = pg_catalog, pg_temp as $$
  select encode(sha256(key || sha256(key || convert_to(
    tenant || '|' || pg_backend_pid() || '|' || extract(epoch from now())::text, 'UTF8'))), 'hex')
  from gate.seal
$$;

create or replace function gate.enter(tenant text, secret text) returns void language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from gate.secret s where s.role = session_user and s.hash = sha256(convert_to(secret, 'UTF8'))) then
    raise exception 'gate: refused' using errcode = '42501';
  end if;
  perform set_config('gate.pass', tenant || '.' || gate.sealed(tenant), true);
end $$;

create or replace function gate.tenant() returns text language plpgsql stable security definer
set search_path = pg_catalog, pg_temp as $$
declare
  pass text := current_setting('gate.pass', true);
  tenant text := split_part(pass, '.', 1);
begin
  if tenant <> '' and split_part(pass, '.', 2) = gate.sealed(tenant) then return tenant; end if;
  return null;
end $$;

revoke all on function gate.enter(text, text), gate.tenant(), gate.sealed(text) from public;
reset role;
