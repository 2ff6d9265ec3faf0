-- The outbox: what changed, and who is to be told of it. Sending, retrying and replaying are queries on these tables.

-- UUID of version 7: the time in front keeps indexes narrow. PostgreSQL has uuidv7() from 18 on; 17 is supported.
create function core.uuid7() returns uuid language sql volatile parallel safe as $$
  select pg_catalog.encode(pg_catalog.set_bit(pg_catalog.set_bit(overlay(
    pg_catalog.uuid_send(pg_catalog.gen_random_uuid())
    placing substring(pg_catalog.int8send((extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint) from 3)
    from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- A row exists only where at least one installation subscribed.
create table core.events (
  tenant_id text collate "C" not null,
  id uuid not null,
  name text not null,
  record_id text collate "C",
  created_at timestamptz not null,
  -- JSON text under the tenant's key. Kept until erasure: any past delivery can be replayed.
  data_encrypted bytea not null,
  primary key (tenant_id, id)
);
call core.protect('core.events', true);

-- No foreign keys: they would cost every change of data a look-up for each receiver. Erasure removes rows by installation.
create table core.deliveries (
  tenant_id text collate "C" not null,
  id uuid not null default core.uuid7(),
  -- The order in which deliveries were made.
  position bigint not null generated always as identity,
  installation_id text collate "C" not null,
  app_id text collate "C" not null,
  event_id uuid not null,
  event text not null,
  record_id text collate "C",
  state text not null default 'pending' check (state in ('pending', 'delivering', 'delivered', 'retrying', 'terminal')),
  -- When it may be claimed: at once, or at the next retry. Null: nothing is left to do.
  due_at timestamptz,
  -- Who sends it now, and until when nobody else may. In no index, so that a claim is a cheap update.
  lease uuid,
  leased_until timestamptz,
  attempt_count smallint not null default 0,
  replay_count smallint not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (tenant_id, id)
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index deliveries_due on core.deliveries (app_id, due_at, position) where due_at is not null;
-- First deliveries that are open, by record: a later one waits for the earlier.
create index deliveries_first on core.deliveries (installation_id, record_id, position)
  where due_at is not null and attempt_count = 0 and replay_count = 0 and record_id is not null;
create index deliveries_by_app on core.deliveries (app_id, position);
call core.protect('core.deliveries', true);

-- What happened at each attempt. Kept 30 days.
create table core.delivery_attempts (
  tenant_id text collate "C" not null,
  delivery_id uuid not null,
  installation_id text collate "C" not null,
  at timestamptz not null,
  number smallint not null,
  duration_ms integer not null,
  status smallint,
  error text,
  -- Headers sent, headers and first 4 KiB of the answer, as JSON under the tenant's key.
  exchange_encrypted bytea not null,
  primary key (tenant_id, delivery_id, at)
);
-- Rows come in the order of time, so a few bytes for each block are enough to find the old ones.
create index delivery_attempts_by_age on core.delivery_attempts using brin (at) with (pages_per_range = 32);
call core.protect('core.delivery_attempts', true);

-- How an app's webhook URL is doing; no row means well. One that failed for five days is paused: nothing is sent, nothing is lost.
create table core.endpoints (
  app_id text collate "C" primary key references core.apps,
  failing_since timestamptz,
  paused_at timestamptz
);

-- What a partner must learn about an app of theirs.
create table core.partner_notices (
  id uuid primary key default core.uuid7(),
  app_id text collate "C" not null references core.apps,
  kind text not null,
  message_en text not null,
  message_ar text not null,
  created_at timestamptz not null,
  read_at timestamptz
);
create index partner_notices_by_app on core.partner_notices (app_id, created_at);

-- Catalogs that were announced to subscribers.
create table core.announced_catalogs (
  version text primary key,
  announced_at timestamptz not null default now()
);

-- The scope an installation must hold to learn of an event; null for those about the installation or the platform itself.
create function core.scope_of_event(event text) returns text language sql immutable parallel safe as $$
  select case when event in ('partner.installation.token_rotated', 'partner_scopes.catalog.changed') then null
    else pg_catalog.split_part(event, '.', 1) || '.' || pg_catalog.split_part(event, '.', 2) || '.read' end
$$;
