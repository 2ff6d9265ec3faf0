-- Partners, and the life of an app's version: draft, submitted, in review, approved or rejected, published.

create table core.partners (
  id text collate "C" primary key,
  name text not null,
  created_at timestamptz not null default now()
);

create table core.partner_keys (
  -- SHA-256 of a key that was shown once.
  key_hash bytea primary key,
  partner_id text collate "C" not null references core.partners,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);

alter table core.apps
  alter column partner_id type text collate "C",
  add foreign key (partner_id) references core.partners,
  -- What every version inherits where it leaves a field blank.
  add column declarations jsonb not null default '{}';

-- The signature covers slug, version, bundle, manifest, contributions and both verdicts: it belongs to the version.
alter table core.app_bundles drop column signature, drop column scan_verdict, drop column review_verdict;
alter table core.app_versions
  -- The manifest as its author wrote it; `manifest` is what it comes to with the app's own declarations.
  add column declared jsonb,
  add column scan_verdict text,
  add column review_verdict text,
  add column signature bytea,
  -- The checks' results: see host/lifecycle/report.ts.
  add column report jsonb not null default '{}',
  add column edited_at timestamptz not null default now();

create table core.version_sources (
  version_id text collate "C" primary key references core.app_versions on delete cascade,
  -- Gzip of JSON: contents in base64 by path.
  files bytea not null
);

-- Who moved a version from where to where.
create table core.version_moves (
  version_id text collate "C" not null references core.app_versions on delete cascade,
  position bigint generated always as identity,
  from_state text not null,
  to_state text not null,
  actor text not null,
  at timestamptz not null,
  primary key (version_id, position)
);

create table core.version_comments (
  version_id text collate "C" not null references core.app_versions on delete cascade,
  id text collate "C" not null,
  author text not null,
  -- The version's state when it was written.
  state text not null,
  body text not null,
  created_at timestamptz not null,
  primary key (version_id, id)
);

-- SQL written in the portal: a migration of the next release.
create table core.sql_drafts (
  app_id text collate "C" not null references core.apps,
  -- The migration's time, YYYY_MM_DD_HHMMSS.
  version text collate "C" not null,
  name text not null,
  sql text not null,
  status text not null default 'draft' check (status in ('draft', 'published')),
  created_at timestamptz not null,
  primary key (app_id, version)
);

alter table core.notification_catalog drop constraint notification_catalog_version_id_fkey;
alter table core.notification_catalog
  add foreign key (version_id) references core.app_versions on delete cascade;

-- A school's requests never write these.
revoke all on core.partners, core.partner_keys, core.version_sources, core.version_moves, core.version_comments,
  core.sql_drafts from {{core_role}};
revoke insert, update, delete on core.app_versions, core.app_bundles, core.notification_catalog from {{core_role}};
