-- What an operator set for one app's requests, by name; a limit that is not there is the default. See host/isolates/limits.ts.
alter table core.apps
  add column limits jsonb not null default '{}' check (jsonb_typeof(limits) = 'object');

-- Web processes remember it with the installation.
create constraint trigger token_epoch_limits after update of limits on core.apps
  deferrable initially deferred for each row when (old.limits is distinct from new.limits)
  execute function core.raise_token_epoch();

-- A school's requests never write what an app is.
revoke insert, update, delete on core.apps from {{core_role}};
