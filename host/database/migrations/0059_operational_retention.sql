-- What the purge finds by age and what it must not remove. Lines come in the order of time: a few bytes for each block are enough.
create index module_log_by_age on core.module_log using brin (at) with (pages_per_range = 32);
create index app_versions_by_bundle on core.app_versions (bundle_hash);
