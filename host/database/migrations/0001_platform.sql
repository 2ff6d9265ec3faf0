-- The platform's own records: who may run what, and for whom.
-- {{core_role}} serves one tenant at a time and cannot bypass row-level security.
-- {{system_role}} answers "who is it?" and carries work across tenants: only on the tables protected with system access.

create schema core;
grant usage on schema core to {{core_role}}, {{system_role}};
alter default privileges in schema core grant select, insert, update, delete on tables to {{core_role}}, {{system_role}};
alter default privileges in schema core grant usage, select on sequences to {{core_role}}, {{system_role}};

-- Folds case and the variants of Arabic letters, so that what sounds alike is found alike. Source: decisions.md, names.
create function core.fold(text) returns text language sql immutable strict parallel safe as $$
  select pg_catalog.translate(pg_catalog.lower($1), 'أإآٱىةـًٌٍَُِّْٰ', 'اااايه')
$$;

-- Row-level security of one table: the tenant of the transaction, and all tenants for the system role where asked.
create procedure core.protect(target regclass, system_access boolean default false) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('create policy tenant on %s to {{core_role}} using (tenant_id = (select pg_catalog.current_setting(''core.tenant'', true))) with check (tenant_id = (select pg_catalog.current_setting(''core.tenant'', true)))', target);
  if system_access then
    execute format('create policy every_tenant on %s to {{system_role}} using (true) with check (true)', target);
  end if;
end $$;

create table core.countries (
  code char(2) primary key,
  id text collate "C" not null unique,
  name_ar text not null,
  name_en text not null,
  calling_code text not null,
  -- The country's single time zone; null where it has several.
  timezone text
);

create table core.education_levels (
  id text collate "C" primary key,
  country_code char(2) not null references core.countries,
  name_ar text not null,
  name_en text not null,
  position integer not null
);

create table core.tenants (
  id text collate "C" primary key,
  number integer not null unique generated always as identity,
  name text not null,
  name_en text,
  sandbox boolean not null default false,
  -- Set for the sandbox tenant that belongs to one embedded app; null for the shared school and for live tenants.
  sandbox_of text,
  country_code char(2) references core.countries,
  timezone text,
  -- Counts public pages of a module on the school's own host name.
  created_at timestamptz not null default now()
);

create table core.tenant_hosts (
  host text primary key,
  tenant_id text collate "C" not null references core.tenants
);

create table core.apps (
  id text collate "C" primary key,
  slug text not null unique check (slug ~ '^[a-z][a-z0-9_]{1,39}$'),
  integration_type text not null check (integration_type in ('embedded', 'external', 'notification', 'payment')),
  display_name text not null,
  partner_id text,
  webhook_url text,
  webhook_events text[] not null default '{}',
  redirect_urls text[] not null default '{}',
  webhook_secret_encrypted bytea,
  client_id text unique,
  client_secret_hash bytea,
  disabled_reason text,
  created_at timestamptz not null default now()
);

create table core.app_bundles (
  hash text primary key,
  code text not null,
  source_map text,
  code_cache bytea,
  -- Ed25519 over hash, scan verdict and review verdict.
  signature bytea,
  created_at timestamptz not null default now()
);

create table core.app_versions (
  id text collate "C" primary key,
  app_id text collate "C" not null references core.apps,
  version text not null,
  state text not null check (state in ('draft', 'submitted', 'in_review', 'approved', 'rejected', 'published')),
  manifest jsonb not null,
  bundle_hash text references core.app_bundles,
  contributions jsonb,
  scan jsonb,
  review jsonb,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  unique (app_id, version)
);

create table core.scopes (
  key text primary key,
  action text not null,
  dangerous boolean not null,
  public_surface boolean not null,
  public_writable boolean not null,
  active boolean not null
);

create table core.installations (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null unique,
  app_id text collate "C" not null references core.apps,
  version_id text collate "C" references core.app_versions,
  granted_scopes text[] not null,
  status text not null default 'active' check (status in ('active', 'disabled', 'uninstalled')),
  disabled_reason text,
  rate_limited boolean not null,
  settings jsonb not null default '{}',
  installed_at timestamptz not null default now(),
  uninstalled_at timestamptz,
  primary key (tenant_id, id)
);
create unique index installations_one_per_app on core.installations (tenant_id, app_id) where status <> 'uninstalled';
create index installations_by_app on core.installations (app_id);
call core.protect('core.installations', true);

create table core.installation_tokens (
  tenant_id text collate "C" not null,
  id text collate "C" not null,
  installation_id text collate "C" not null,
  token_hash bytea not null unique,
  token_encrypted bytea not null,
  environment text not null check (environment in ('live', 'test')),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id),
  foreign key (tenant_id, installation_id) references core.installations
);
create index installation_tokens_by_installation on core.installation_tokens (tenant_id, installation_id);
call core.protect('core.installation_tokens', true);

-- One row for each access of an app to the school's data. It outlives the app.
create table core.access_log (
  tenant_id text collate "C" not null,
  at timestamptz not null,
  app text not null,
  installation_id text collate "C" not null,
  viewer_id text collate "C",
  operation text not null,
  record_ids text[] not null
);
create index access_log_by_time on core.access_log (tenant_id, at);
call core.protect('core.access_log', true);

-- What a module wrote to its log, by invocation. Kept by the host; the module cannot read it.
create table core.module_log (
  tenant_id text collate "C" not null,
  invocation_id text collate "C" not null,
  position integer not null,
  at timestamptz not null default now(),
  app text not null,
  level text not null,
  message text not null,
  primary key (tenant_id, invocation_id, position)
);
create index module_log_by_app on core.module_log (app, at);
call core.protect('core.module_log', true);

-- Times a module cost its runner. Three in ten minutes disable that installation.
create table core.strikes (
  tenant_id text collate "C" not null,
  installation_id text collate "C" not null,
  at timestamptz not null default now(),
  reason text not null
);
create index strikes_by_installation on core.strikes (tenant_id, installation_id, at);
call core.protect('core.strikes', true);
