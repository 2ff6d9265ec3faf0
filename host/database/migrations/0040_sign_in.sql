-- Slows guessing of passwords down, counted over all web processes, and shows the host who is signed in.

-- Failed attempts by user name or by network, under a keyed hash: the table tells nobody who tried, or from where.
-- Unlogged, like the other counts: a crash forgets a quarter of an hour.
create unlogged table core.sign_in_attempts (
  key bytea primary key,
  since timestamptz not null,
  failures integer not null
) with (fillfactor = 70);
create index sign_in_attempts_by_age on core.sign_in_attempts (since);
revoke all on core.sign_in_attempts from {{core_role}};

-- Counts one attempt in both places and answers 0, or counts it in neither and answers the seconds to wait.
-- Rows are locked in one order, account before network, so that no two attempts wait for each other. Every attempt
-- also clears away a few rows of windows that are over.
create function core.count_sign_in_attempt(
  account bytea, account_limit integer, network bytea, network_limit integer, at timestamptz, lasts interval
) returns integer language plpgsql set search_path = pg_catalog as $$
declare
  keys bytea[] := array[account, network];
  limits integer[] := array[account_limit, network_limit];
  seen core.sign_in_attempts;
begin
  for place in 1..2 loop
    insert into core.sign_in_attempts as a values (keys[place], at, 1)
      on conflict (key) do update set
        since = case when a.since > at - lasts then a.since else at end,
        failures = case when a.since > at - lasts then a.failures + 1 else 1 end
      returning * into seen;
    if seen.failures > limits[place] then
      update core.sign_in_attempts set failures = failures - 1 where key = any (keys[1:place]);
      return greatest(1, ceil(extract(epoch from seen.since + lasts - at)));
    end if;
  end loop;
  delete from core.sign_in_attempts where key in (
    select key from core.sign_in_attempts where since < at - lasts order by since limit 4 for update skip locked);
  return 0;
end $$;
revoke execute on function core.count_sign_in_attempt from public;
grant execute on function core.count_sign_in_attempt to {{system_role}};

-- The roles of one employee, for the host's question "who is it?", asked across tenants. A function rather than a policy:
-- the system role still sees no employee, it only learns the role keys of one whose tenant and id it already holds.
create function core.roles_of(tenant text, employee text) returns text[]
  language sql stable security definer set search_path = pg_catalog as $$
  select roles from core.employees where tenant_id = tenant and id = employee
$$;
revoke execute on function core.roles_of from public;
grant execute on function core.roles_of to {{system_role}};
