-- Web processes remember which module a school installed, and as what. Versions are immutable once published; a draft that the
-- sandbox school runs is not.
create constraint trigger token_epoch_name after update of display_name on core.apps
  deferrable initially deferred for each row when (old.display_name is distinct from new.display_name)
  execute function core.raise_token_epoch();
create constraint trigger token_epoch_reason after update of disabled_reason on core.installations
  deferrable initially deferred for each row when (old.disabled_reason is distinct from new.disabled_reason)
  execute function core.raise_token_epoch();
create constraint trigger token_epoch after update of version, manifest, contributions, bundle_hash on core.app_versions
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch_delete after delete on core.app_versions
  deferrable initially deferred for each row execute function core.raise_token_epoch();
