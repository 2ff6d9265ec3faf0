-- Web processes forget what a change concerns and keep the rest: each sign-out at one school cost every other school all that
-- was remembered of it. A change of many schools, or of what is no school's, concerns everybody.
create unlogged table core.epoch_changes (
  -- The epoch that it raised to.
  number bigint primary key,
  -- The tenant; null: everybody.
  concerns text collate "C",
  at timestamptz not null default now()
);
grant select, insert, update on core.epoch_changes to {{core_role}};

create or replace function core.raise_token_epoch() returns trigger language plpgsql set search_path = pg_catalog as $$
declare
  everybody constant text := '*';
  told constant text := coalesce(current_setting('core.epoch_raised', true), '');
  concerned text := everybody;
  raised bigint;
begin
  if tg_table_name = 'tenants' then
    concerned := old.id;
  elsif tg_table_name in ('installation_tokens', 'installations', 'sessions', 'accounts', 'employees') then
    concerned := old.tenant_id;
  end if;
  if told in (everybody, concerned) then return null; end if;
  if told = '' then
    update core.token_epoch set number = number + 1 returning number into raised;
    insert into core.epoch_changes (number, concerns) values (raised, nullif(concerned, everybody))
      -- Somebody lowered the epoch: what was noted then is of other changes.
      on conflict (number) do update set concerns = null;
    perform pg_notify('partner_tokens', '');
  else
    -- The epoch is still this transaction's: its row stays locked until the end.
    update core.epoch_changes set concerns = null where number = (select e.number from core.token_epoch e);
    concerned := everybody;
  end if;
  perform set_config('core.epoch_raised', concerned, true);
  return null;
end $$;
