-- Who signs in at a school, and the surfaces an app has there.

create table core.accounts (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  username text not null unique,
  password_hash text not null,
  person_type text not null check (person_type in ('employee', 'student', 'guardian', 'supervisor')),
  -- The matching employee, student or guardian; null for a platform supervisor.
  person_id text collate "C",
  display_name text not null,
  administrator boolean not null default false,
  primary key (tenant_id, id)
);
call core.protect('core.accounts', true);

create table core.sessions (
  token_hash bytea primary key,
  tenant_id text collate "C" not null,
  account_id text collate "C" not null,
  csrf_secret bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (tenant_id, account_id) references core.accounts
);
call core.protect('core.sessions', true);

-- Permissions of viewers (`<slug>.*` as apps name them), given to roles by the school's administrator.
create table core.role_permissions (
  tenant_id text collate "C" not null references core.tenants,
  role text not null,
  permission text not null,
  primary key (tenant_id, role, permission)
);
call core.protect('core.role_permissions');

create table core.notification_catalog (
  app_id text collate "C" not null references core.apps,
  version_id text collate "C" not null references core.app_versions,
  key text not null,
  entry jsonb not null,
  is_active boolean not null default true,
  primary key (app_id, version_id, key)
);

create table core.notifications (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  installation_id text collate "C" not null,
  channel text,
  recipient text not null,
  status text not null check (status in ('queued', 'sent', 'failed')),
  provider_id text,
  body_encrypted bytea not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call core.protect('core.notifications', true);

create table core.report_templates (
  tenant_id text collate "C" not null references core.tenants,
  id text collate "C" not null,
  authored_by_app text,
  status text not null check (status in ('draft', 'approved')),
  definition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id)
);
call core.protect('core.report_templates');

create table core.contact_submissions (
  id text collate "C" primary key,
  submission jsonb not null,
  created_at timestamptz not null default now()
);
