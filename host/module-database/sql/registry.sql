-- Which role belongs to which module's schema. No module can read it; the third wall and the history go by it.
create schema if not exists module_host;
revoke all on schema module_host from public;

create table if not exists module_host.installed (version text not null);
create table if not exists module_host.modules (
  owner name primary key,
  runtime name not null unique,
  schema name not null unique,
  slug text not null
);
-- No wall protects these two but the missing grants: nothing is granted on them, ever.
revoke all on all tables in schema module_host from public;
