-- How an app comes to a school, what was approved there, and what is left when it went.

-- A code that the browser carries to the app, which exchanges it for the installation's token. Single use, ten minutes.
create table core.authorization_codes (
  tenant_id text collate "C" not null references core.tenants,
  code_hash bytea primary key,
  installation_id text collate "C" not null,
  app_id text collate "C" not null references core.apps,
  redirect_uri text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index authorization_codes_by_installation on core.authorization_codes (tenant_id, installation_id);
call core.protect('core.authorization_codes', true);

-- What a school's administrator approved, narrowed or ended, and when.
create table core.consents (
  tenant_id text collate "C" not null references core.tenants,
  id uuid not null default core.uuid7(),
  installation_id text collate "C" not null,
  account_id text collate "C",
  action text not null check (action in ('installed', 'approved', 'narrowed', 'uninstalled')),
  version_id text collate "C",
  scopes text[] not null,
  at timestamptz not null,
  primary key (tenant_id, id)
);
create index consents_by_installation on core.consents (tenant_id, installation_id);
call core.protect('core.consents', true);

-- Set when the partner of an app without redirect URLs has seen the token: it is shown once.
alter table core.installation_tokens add column shown_at timestamptz;

-- The signed list of what an erasure removed. Outlives the installation. The text is signed as it stands.
create table core.erasure_certificates (
  tenant_id text collate "C" not null references core.tenants,
  id uuid not null,
  app text not null,
  installation_id text collate "C" not null unique,
  issued_at timestamptz not null,
  certificate text not null,
  signature bytea not null,
  primary key (tenant_id, id)
);
call core.protect('core.erasure_certificates', true);

-- The platform's tables with their columns, for erasure. Catalogs are hidden from every role but the owner's.
create function core.table_columns() returns table ("table" text, columns text[])
  language sql stable security definer set search_path = pg_catalog as $$
  select c.relname::text, array_agg(a.attname::text) from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relkind in ('r', 'p') and c.relnamespace = (select oid from pg_namespace where nspname = 'core')
  group by c.relname order by c.relname
$$;
revoke all on function core.table_columns() from public;
grant execute on function core.table_columns() to {{core_role}};
