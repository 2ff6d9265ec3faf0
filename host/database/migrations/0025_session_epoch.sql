-- Web processes remember who is signed in, where, and with which roles. What changes that raises the epoch too.

create constraint trigger token_epoch after delete on core.sessions
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after update or delete on core.accounts
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after update of roles on core.employees
  deferrable initially deferred for each row when (old.roles is distinct from new.roles)
  execute function core.raise_token_epoch();
create constraint trigger token_epoch_delete after delete on core.employees
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after insert or update or delete on core.tenant_hosts
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after update of name, sandbox on core.tenants
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch_version after update of version_id, settings on core.installations
  deferrable initially deferred for each row execute function core.raise_token_epoch();
