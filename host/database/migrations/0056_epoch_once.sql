-- A change of many rows, such as a version that ten thousand schools get, raises the epoch once. Each raise is an update of one
-- and the same row: so many in one transaction took seconds, for which every sign-out and revocation waited.
create or replace function core.raise_token_epoch() returns trigger language plpgsql set search_path = pg_catalog as $$
begin
  if current_setting('core.epoch_raised', true) = 'yes' then return null; end if;
  perform set_config('core.epoch_raised', 'yes', true);
  update core.token_epoch set number = number + 1;
  perform pg_notify('partner_tokens', '');
  return null;
end $$;
