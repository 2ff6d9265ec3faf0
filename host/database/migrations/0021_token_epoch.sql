-- Web processes remember whose token is whose. Each change that could make a memory wrong raises the epoch, and
-- every live process confirms the epoch it has acted upon. Raised at the end of the changing transaction, so that
-- its lock is held for a moment only, and epochs become visible in their order.

create table core.token_epoch (
  singleton boolean primary key default true check (singleton),
  number bigint not null default 0
);
insert into core.token_epoch default values;

create unlogged table core.web_processes (
  id uuid primary key,
  confirmed bigint not null,
  -- Until then the process may answer from memory, unless it confirms anew.
  alive_until timestamptz not null
);

create function core.raise_token_epoch() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  update core.token_epoch set number = number + 1;
  perform pg_notify('partner_tokens', '');
  return null;
end $$;

create constraint trigger token_epoch after update or delete on core.installation_tokens
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after update of granted_scopes, status, rate_limited or delete on core.installations
  deferrable initially deferred for each row execute function core.raise_token_epoch();
create constraint trigger token_epoch after update of disabled_reason on core.apps
  deferrable initially deferred for each row execute function core.raise_token_epoch();
