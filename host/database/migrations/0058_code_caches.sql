-- One code cache of a bundle for each engine: hosts of different Node versions on one database took the place of each other's
-- at every start. Which engine and key one is good for is its maker.
create table core.code_caches (
  bundle_hash text not null references core.app_bundles on delete cascade,
  maker text not null,
  cache bytea not null,
  made_at timestamptz not null default now(),
  primary key (bundle_hash, maker)
);
insert into core.code_caches (bundle_hash, maker, cache)
  select hash, code_cache_maker, code_cache from core.app_bundles
  where code_cache is not null and code_cache_maker is not null;
alter table core.app_bundles drop column code_cache, drop column code_cache_maker;
