-- A first delivery that waits for an earlier one of its record lies beside the queue: a claim would pass over it again and again.
-- Claims park; the end of the one it waits for puts it back. What was tried or is replayed waits for nobody, parked or not.
alter table core.deliveries add column parked boolean not null default false;
drop index core.deliveries_due;
create index deliveries_due on core.deliveries (app_id, due_at, position)
  where due_at is not null and not (parked and attempt_count = 0 and replay_count = 0);
create index deliveries_parked on core.deliveries (installation_id, record_id, position)
  where parked and due_at is not null and attempt_count = 0 and replay_count = 0;

-- Whoever parks holds the earlier one, so that its end comes before, and nothing is parked, or after, and is seen here: each
-- statement of a trigger sees what was committed by then. That a record's first one is never parked for good rests on this.
create function core.unpark_next() returns trigger language plpgsql
  set search_path = pg_catalog set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  update core.deliveries set parked = false where tenant_id = new.tenant_id and id = (
    select id from core.deliveries
    where installation_id = new.installation_id and record_id = new.record_id
      and parked and due_at is not null and attempt_count = 0 and replay_count = 0
    order by position limit 1 for no key update);
  return null;
end $$;

create trigger unpark_next after update on core.deliveries for each row
  when (old.record_id is not null and old.due_at is not null and old.attempt_count = 0 and old.replay_count = 0
    and (new.due_at is null or new.attempt_count > 0 or new.replay_count > 0))
  execute function core.unpark_next();
